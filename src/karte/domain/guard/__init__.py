"""The injection rule engine: what a text is judged by before it may be remembered.

::

    scan(text) -> Verdict          scanner.py     the text, and everything decoded from it
      decoders.py hidden.py                       base64, hex, escapes; tags, selectors, turned text
      views.py reading.py                         each read plainly, without look-alikes, joined, turned
      gate.py                                     most texts end here: no word of any rule
      vocabulary.py matching.py pattern.py        which concepts occur where, which patterns hold
    pack/                                         the rules, and the words of each language
    load_pack(text, name) -> Pack  packs.py       a user's own, checked
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from karte.domain.guard.packs import Family, Pack, Rule, load_pack
    from karte.domain.guard.scanner import Scanner, scan
    from karte.domain.guard.verdict import Span, Verdict

__all__ = ["Family", "Pack", "Rule", "Scanner", "Span", "Verdict", "load_pack", "scan"]

_HOMES: Final = {
    **dict.fromkeys(("Family", "Pack", "Rule", "load_pack"), "packs"),
    **dict.fromkeys(("Scanner", "scan"), "scanner"),
    **dict.fromkeys(("Span", "Verdict"), "verdict"),
}


def __getattr__(name: str) -> Any:
    """What the package gives, read when it is first asked for: readers need the verdict's name, and no rule."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
