"""Evidence turns of real conversations, found by the words of the question alone."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import needs

if TYPE_CHECKING:
    from tests.domain.text.conftest import Index


@pytest.mark.requirement("search.recall-text-only")
def test_six_of_ten_evidence_turns_are_among_the_first_ten(data_dir: Path, make_index: "type[Index]") -> None:
    protocol = data_dir.parent / "eval" / "locomo_eval.py"
    if not protocol.is_file():
        needs.lacking("data", f"no protocol at {protocol}")
    spec = importlib.util.spec_from_file_location(protocol.stem, protocol)
    assert spec is not None
    assert spec.loader is not None
    locomo = importlib.util.module_from_spec(spec)
    sys.modules[protocol.stem] = locomo  # its dataclasses look their module up
    spec.loader.exec_module(locomo)

    def build(memories: Any) -> Callable[[str, int], list[str]]:
        index = make_index([memory.text for memory in memories])
        turns = {memory.text: memory.id for memory in memories}
        return lambda query, k: [turns[row] for row in index.search(query, k)]

    found = locomo.evaluate(build, locomo.load(str(data_dir / "locomo" / "locomo5.json")))
    assert found["overall"]["recall@10"] >= 0.60
