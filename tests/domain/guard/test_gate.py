"""The two looks that settle most texts never pass over a concept that is there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain.guard.gate import Gate
from karte.domain.guard.matching import Matcher
from karte.domain.guard.packs import built_in
from karte.domain.guard.pattern import Sequenced
from karte.domain.guard.vocabulary import Vocabulary

TERMS = {
    ("password",): 1,
    ("instruct*",): 2,
    ("from", "now", "on"): 4,
    ("give*", "it"): 8,  # all its words are everywhere or nearly so, and the first is a stem
    ("the", "real"): 16,
    ("instru*",): 32,
    ("無", "視"): 64,
}
WORDS = "password instruct instructions instrument from now on give gives it the real x . 無 視".split()


@pytest.mark.requirement("scan.linear-time")
@given(st.lists(st.sampled_from(WORDS), max_size=20))
def test_what_tokens_may_hold_includes_all_that_they_hold(tokens: list[str]) -> None:
    gate = Gate([Sequenced(masks=(1,), gaps=(0,), is_anchored=False)], TERMS, opening=1)
    held = 0
    for hit in Vocabulary(TERMS.items()).hits(tokens):
        held |= hit.mask
    assert held & ~gate.at_most(tokens) == 0


@pytest.mark.requirement("scan.linear-time")
def test_words_of_no_term_may_hold_nothing() -> None:
    gate = Gate([Sequenced(masks=(1,), gaps=(0,), is_anchored=False)], TERMS, opening=1)
    assert gate.at_most(["oat", "milk", "institute"]) == 0


@pytest.mark.requirement("scan.linear-time")
def test_what_is_remembered_of_texts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    from karte.domain.guard import matching
    from karte.domain.guard.views import View

    monkeypatch.setattr(matching, "_REMEMBERED", 1)
    matcher = Matcher((built_in(),), built_in().rules, dict.fromkeys(_marks(), "\ue000"))
    views = [View(text.split(), lambda first, last: (first, last)) for text in ("banana", "password", "oat milk")]
    first = [matcher.may_weigh(view, is_disguised=False) for view in views]
    assert [matcher.may_weigh(view, is_disguised=False) for view in views] == first
    assert len(matcher._may_weigh) == 1


def _marks() -> set[str]:
    return {
        key[1:]
        for rule in built_in().rules
        for pattern in rule.patterns
        for key in pattern.parsed.keys
        if key[0] == "`"
    }
