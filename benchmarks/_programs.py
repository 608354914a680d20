"""The protocols beside the data, as modules."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

DEFAULT_DATA = str(Path(__file__).parents[2] / "shared" / "data")


def module(path: Path) -> ModuleType:
    """A program beside the data, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path}: no such program")
    made = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = made  # the other program imports it, and dataclasses look it up
    spec.loader.exec_module(made)
    return made
