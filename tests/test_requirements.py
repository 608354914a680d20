"""Every promise in requirements.toml is cited by a test, and every citation is of a promise."""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
PROMISES = TESTS / "requirements.toml"
ID = re.compile(r"[a-z]+(-[a-z]+)*\.[a-z0-9]+(-[a-z0-9]+)*")


def _promises() -> list[dict[str, object]]:
    entries: list[dict[str, object]] = tomllib.loads(PROMISES.read_text(encoding="utf-8"))["requirement"]
    return entries


def _citing_calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "requirement"
            and isinstance(node.func.value, ast.Attribute)
            and node.func.value.attr == "mark"
        ):
            yield node


def _citations() -> dict[str, list[str]]:
    """Where each id is cited, read from the source so that it holds whichever tests are run."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for call in _citing_calls(ast.parse(path.read_text(encoding="utf-8"))):
            place = f"{path.relative_to(TESTS).as_posix()}:{call.lineno}"
            for argument in call.args:
                literal = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                assert literal, f"{place}: a citation is a string literal"
                found.setdefault(ast.literal_eval(argument), []).append(place)
    return found


def test_every_promise_is_well_formed() -> None:
    promises = _promises()
    counted = Counter(str(promise["id"]) for promise in promises)
    assert not [name for name, times in counted.items() if times > 1], "an id stands for one promise"
    for promise in promises:
        assert ID.fullmatch(str(promise["id"])), promise["id"]
        assert set(promise) <= {"id", "says", "fault"}, promise["id"]
        says = str(promise["says"])
        assert says.endswith("."), f"{promise['id']}: a whole sentence"
        assert "\n" not in says, f"{promise['id']}: one line"


def test_every_promise_is_cited_by_a_test() -> None:
    cited = _citations()
    missing = [str(promise["id"]) for promise in _promises() if promise["id"] not in cited]
    assert not missing, f"{len(missing)} promises have no test: {', '.join(missing)}"


def test_every_citation_is_of_a_promise() -> None:
    known = {str(promise["id"]) for promise in _promises()}
    unknown = {name: places for name, places in _citations().items() if name not in known}
    assert not unknown
