"""The order of hits by trust, against a plain reading of its rules over all candidates at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karte.domain import ranking
from karte.domain.ranking import Found, Ranked, is_unverified, masses_of, rank, trust_factor
from karte.domain.stored import StoredMemory
from karte.domain.text import content_tokens, index_text, parse_query
from karte.domain.weights import RetrievalWeights, checked_weights
from karte.errors import InvalidInput

ASKED = ("harbour", "lantern", "copper")
QUERY = parse_query(" ".join(ASKED))
MASSES = {"harbour": 6.0, "lantern": 4.0, "copper": 1.0}
WORDS = (*ASKED, "violet", "granite", "meadow", "saddle", "walnut", "the", "of")
ORIGINS = {
    "user_direct": (1.0, 0.75, 0.6),
    "operator:x": (1.0,),
    None: (1.0,),
    "unattributed": (0.6,),
    "agent_derived": (0.6, 0.2),
    "tool_echo": (0.5, 0.1),
    "channel:a": (0.3, 0.0),
    "channel:b": (0.3,),
    "mcp_external": (0.3,),
}


class Asked:
    """Candidates, how many of them were read, and what else the order asks for."""

    def __init__(self, found: list[Found]) -> None:
        self._found = found
        self.read = 0

    def __iter__(self) -> Iterator[Found]:
        for each in self._found:
            self.read += 1
            yield each

    def most_trust(self) -> float:
        return max((each.origin_trust for each, _ in self._found), default=1.0)

    def masses(self) -> Mapping[str, float]:
        return MASSES

    def trusted(self) -> Iterator[Found]:
        return (each for each in self._found if each[0].origin_trust > 0.5)


def memory(ordinal: int, content: str, origin: str | None = "user_direct", trust: float = 1.0) -> StoredMemory:
    return StoredMemory(
        id=f"m{ordinal}",
        agent_id="a",
        content=content,
        timestamp="",
        origin=origin,
        origin_trust=trust,
        ordinal=ordinal,
    )


def ranked(found: list[Found], limit: int = 5, w_trust: float = 0.1) -> list[Ranked]:
    return rank(found, limit, RetrievalWeights(w_trust=w_trust), QUERY, Asked(found))


def ids(hits: list[Ranked]) -> list[str]:
    return [hit.memory.id for hit in hits]


_CONTENTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True).map(" ".join)
_SOURCES = st.sampled_from([(origin, trust) for origin, trusts in ORIGINS.items() for trust in trusts])
_SCORES = st.sampled_from([8.0, 7.9, 7.6, 7.5, 7.0, 5.0, 3.0, 0.5])


@st.composite
def candidates(draw: st.DrawFn, sources: st.SearchStrategy[tuple[str | None, float]] = _SOURCES) -> list[Found]:
    drawn = draw(st.lists(st.tuples(_CONTENTS, sources, _SCORES), max_size=30))
    drawn.sort(key=lambda each: -each[2])
    # dots, so that nothing is said again word for word
    return [(memory(i, text + "." * i, *source), score) for i, (text, source, score) in enumerate(drawn)]


# --- the rules, once more, over all candidates ------------------------------------------------


def words_of(hit: StoredMemory) -> tuple[set[str], set[str]]:
    words = set(hit.content.rstrip(".").split()) - {"the", "of"}
    return words & set(ASKED), words - set(ASKED)


def says_the_same(a: StoredMemory, b: StoredMemory) -> bool:
    (asked_a, other_a), (asked_b, other_b) = words_of(a), words_of(b)
    shared = sum(MASSES[w] for w in asked_a & asked_b) + len(other_a & other_b)
    whole = sum(MASSES[w] for w in asked_a) + len(other_a) + sum(MASSES[w] for w in asked_b) + len(other_b)
    return whole > 0 and 2 * shared >= ranking.FOLDED * whole


def curated_before(leader: StoredMemory, others: list[Found]) -> list[Found]:
    held = words_of(leader)[0]
    enough = ranking.COVERED * sum(MASSES[w] for w in held)
    for each in others if held and is_unverified(leader) else []:
        is_curated = each[0].origin in ("user_direct", "operator:x") and each[0].origin_trust > 0.7
        if is_curated and sum(MASSES[w] for w in held & words_of(each[0])[0]) >= enough:
            return [each]
    return []


def by_rule(found: list[Found], limit: int, w: float, around: int) -> list[tuple[str, float, list[str]]]:
    """Id, score and folded ids of each hit."""

    def score(each: Found) -> float:
        return each[1] * trust_factor(w, each[0].origin_trust)

    order = sorted(found, key=lambda each: (-score(each), each[0].ordinal))
    best = order[:limit]
    places = len(best)
    if w == 0 or not any(is_unverified(m) for m, _ in best):
        return [(each[0].id, score(each), []) for each in best]
    near, rest = order[: places + around], order[places + around :]
    behind = [each for each in found if each[0].origin_trust > 0.5 and each in rest]
    listed = curated_before(near[0][0], near + behind)
    folded: dict[str, list[str]] = {}

    def folds(each: Found) -> bool:
        for other, _ in listed:
            if is_unverified(each[0]) and says_the_same(each[0], other):
                folded.setdefault(other.id, []).append(each[0].id)
                return True
        return False

    later: list[Found] = []
    for each in near + behind:
        if len(listed) < places and each not in listed and not folds(each):
            of_origin = [m for m, _ in listed if m.origin == each[0].origin]
            most = ranking.share_of(places)
            (later if is_unverified(each[0]) and len(of_origin) >= most else listed).append(each)
    for each in later + rest:
        if len(listed) < places and each not in listed and not folds(each):
            listed.append(each)
    return [(each[0].id, score(each), folded.get(each[0].id, [])) for each in listed]


@pytest.mark.requirement("trust.ranking-factor", "trust.curated-first", "trust.folding", "trust.share")
@given(
    candidates(),
    st.integers(1, 12),
    st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    st.sampled_from([0, 1, 3, ranking.LOOK_AROUND]),
)
def test_the_order_is_that_of_the_rules_over_all_candidates(
    found: list[Found], limit: int, w_trust: float, around: int
) -> None:
    with patch.object(ranking, "LOOK_AROUND", around):
        hits = ranked(found, limit, w_trust)
    assert [(hit.memory.id, hit.score, hit.folded) for hit in hits] == by_rule(found, limit, w_trust, around)


@pytest.mark.requirement("trust.ranking-factor")
@given(candidates(), st.integers(1, 12), st.sampled_from([0.05, 0.1, 0.5, 1.0]))
def test_reading_ends_where_no_later_candidate_can_enter(found: list[Found], limit: int, w_trust: float) -> None:
    asked = Asked(found)
    hits = rank(asked, limit, RetrievalWeights(w_trust=w_trust), QUERY, Asked(found))
    if not any(is_unverified(m) for m, _ in found):
        scores = sorted((text * trust_factor(w_trust, m.origin_trust) for m, text in found), reverse=True)
        assert [hit.score for hit in hits] == scores[:limit]
        most = trust_factor(w_trust, asked.most_trust())
        needed = sum(text * most >= hits[-1].score for _, text in found) + 1 if hits else 0
        assert asked.read <= max(limit, needed)
        if len({m.origin_trust for m, _ in found}) <= 1:
            assert asked.read == min(limit, len(found))


@pytest.mark.requirement("trust.ranking-off")
@given(candidates(), st.integers(1, 12))
def test_without_a_weight_for_trust_nothing_moves_and_every_bit_of_the_scores_stays(
    found: list[Found], limit: int
) -> None:
    hits = ranked(found, limit, 0.0)
    assert [(hit.memory.id, hit.score.hex(), hit.trust) for hit in hits] == [
        (m.id, text.hex(), 1.0) for m, text in found[:limit]
    ]
    assert not any(hit.folded or hit.moves for hit in hits)


@pytest.mark.requirement("trust.full-trust-keeps-order")
@given(candidates(st.sampled_from([(origin, 1.0) for origin in ORIGINS])), st.integers(1, 12), st.floats(0.0, 1.0))
def test_rows_of_full_trust_keep_order_and_scores_at_every_weight(
    found: list[Found], limit: int, w_trust: float
) -> None:
    hits = ranked(found, limit, w_trust)
    assert [(hit.memory.id, hit.score.hex()) for hit in hits] == [(m.id, text.hex()) for m, text in found[:limit]]
    assert not any(hit.folded or hit.moves for hit in hits)


@pytest.mark.requirement("trust.curated-first")
@given(candidates(), st.integers(1, 12), st.sampled_from([0.1, 1.0]))
def test_curated_first_is_one_move_and_says_so(found: list[Found], limit: int, w_trust: float) -> None:
    hits = ranked(found, limit, w_trust)
    moved = [i for i, hit in enumerate(hits) if ranking.CURATED_FIRST in hit.moves]
    assert moved in ([], [0])
    stayed = [hit for hit in hits if ranking.CURATED_FIRST not in hit.moves and ranking.OVER_SHARE not in hit.moves]
    assert [hit.score for hit in stayed] == sorted((hit.score for hit in stayed), reverse=True)
    overtaken = [hit for hit in hits if ranking.BEHIND_CURATED in hit.moves]
    assert all(is_unverified(hit.memory) and moved for hit in overtaken)


@pytest.mark.requirement("trust.share")
@given(candidates(), st.integers(1, 12))
def test_an_origin_has_more_than_its_share_only_where_no_others_answer(found: list[Found], limit: int) -> None:
    hits = ranked(found, limit)
    most = ranking.share_of(min(limit, len(found)))
    over = [i for i, hit in enumerate(hits) if ranking.OVER_SHARE in hit.moves]
    for origin in {hit.memory.origin for hit in hits if is_unverified(hit.memory)}:
        assert sum(hit.memory.origin == origin for hit in hits if ranking.OVER_SHARE not in hit.moves) <= most
    if over:
        assert over == list(range(over[0], len(hits)))  # behind everybody else
        told = {hit.memory.id for hit in hits} | {id for hit in hits for id in hit.folded}
        left_out = [m for m, _ in found if m.id not in told]
        assert all(is_unverified(m) for m in left_out)


@pytest.mark.requirement("trust.share")
def test_the_share_leaves_places_to_others_and_one_at_least() -> None:
    places = (1, 2, 4, 5, 6, 8, 10, 20, 100)
    assert [ranking.share_of(n) for n in places] == [1, 1, 1, 1, 1, 4, 8, 16, 80]


def test_a_curated_hit_that_holds_too_little_of_what_the_leader_holds_stays() -> None:
    leader = memory(0, "harbour lantern copper", "channel:a", 0.3)
    little, enough = memory(1, "copper violet"), memory(2, "lantern violet")
    assert ids(ranked([(leader, 9.0), (little, 3.0)])) == ["m0", "m1"]
    assert ids(ranked([(leader, 9.0), (little, 3.0), (enough, 2.0)])) == ["m2", "m0", "m1"]
    assert ids(ranked([(leader, 9.0), (enough, 2.0)], limit=1)) == ["m2"]


def test_a_leader_that_holds_no_whole_word_of_the_query_is_overtaken_by_nobody() -> None:
    assert ids(ranked([(memory(0, "violet", "channel:a", 0.3), 9.0), (memory(1, "lantern"), 2.0)])) == ["m0", "m1"]


def test_who_vouches_for_a_row_is_told_by_its_class_and_trust() -> None:
    lantern = "harbour lantern violet"
    leader = (memory(0, "harbour lantern granite meadow", "tool_echo", 0.5), 9.0)
    for origin, trust in (("import:x", 0.7), ("unattributed", 0.6), (None, 1.0), ("user_direct", 0.7)):
        assert ids(ranked([leader, (memory(1, lantern, origin, trust), 8.0)]))[0] == "m0"
    assert ids(ranked([leader, (memory(1, lantern, "user_profile", 0.71), 8.0)]))[0] == "m1"


def test_what_says_the_same_is_counted_where_it_is_listed_and_only_unverified_hits_fold() -> None:
    same = "harbour lantern violet"
    sources = (("user_direct", 1.0), ("unattributed", 0.6), ("channel:a", 0.3), ("channel:b", 0.3))
    hits = ranked([(memory(i, same, *source), 9.0) for i, source in enumerate(sources)])
    assert [(hit.memory.id, hit.folded) for hit in hits] == [("m0", ["m2", "m3"]), ("m1", [])]
    other = (memory(5, "copper granite meadow saddle walnut", "channel:a", 0.3), 1.0)
    assert ids(ranked([(memory(0, same, "channel:a", 0.3), 9.0), other])) == ["m0", "m5"]


def test_what_one_origin_says_again_word_for_word_is_one_hit_with_a_count() -> None:
    again = [
        (memory(i, text), 9.0) for i, text in enumerate(("Harbour lantern", "harbour  LANTERN", "harbour lanterns"))
    ]
    for w_trust in (0.0, 0.1):
        hits = ranked(again, w_trust=w_trust)
        assert [(hit.memory.id, hit.folded) for hit in hits] == [("m0", ["m1"]), ("m2", [])]
    facts = [(memory(i, "harbour")._replace(identity=f"fact {i}"), 9.0) for i in range(2)]
    assert ids(ranked(facts)) == ["m0", "m1"]


def test_words_that_carry_no_subject_make_nothing_the_same() -> None:
    assert content_tokens(index_text("The lanterns of the harbour, and what they were")) == {"lantern", "harbour"}
    assert content_tokens(index_text("deploy_target")) == {"deploy", "target"}


def test_a_flood_hides_neither_the_curated_word_nor_the_others() -> None:
    flood = [
        (memory(i, f"harbour lantern word{i} more{i} talk{i} other{i} extra{i}", "channel:a", 0.3), 9.0)
        for i in range(ranking.LOOK_AROUND + 40)
    ]
    kept = [(memory(500 + i, f"lantern {word}", "user_direct"), 1.0) for i, word in enumerate(("violet", "meadow"))]
    with patch.object(ranking, "FOLDED", 2.0):
        hits = ranked(flood + kept, limit=6)
    assert ids(hits)[0] == "m500"
    assert [hit.memory.origin for hit in hits].count("user_direct") == 2
    assert ids(hits)[2] == "m501"


def test_the_mass_of_a_word_is_its_idf_and_none_for_what_is_nowhere() -> None:
    masses = masses_of(QUERY, {"harbour": 2, "lantern": 50}, 100)
    assert set(masses) == {"harbour", "lantern"}
    assert masses["harbour"] > masses["lantern"] > 0


@pytest.mark.requirement("trust.weights-in-code")
@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf"), "0.1", True, None])
def test_a_weight_out_of_range_is_refused_by_name(value: float) -> None:
    with pytest.raises(InvalidInput) as refused:
        RetrievalWeights(w_trust=value)
    assert refused.value.field == "w_trust"


@pytest.mark.requirement("trust.weights-in-code")
def test_weights_have_defaults_and_nothing_else_is_taken_for_them() -> None:
    assert checked_weights(None) == RetrievalWeights() == RetrievalWeights(w_trust=0.10)
    assert checked_weights(RetrievalWeights(w_trust=1)).w_trust == 1.0
    with pytest.raises(InvalidInput) as refused:
        checked_weights({"w_trust": 0.5})
    assert refused.value.field == "weights"


@pytest.mark.requirement("trust.ranking-factor")
@given(st.floats(0.0, 1.0), st.floats(-1.0, 2.0))
def test_the_factor_is_exactly_one_at_full_trust_and_never_more_or_less_than_the_weight_allows(
    w_trust: float, trust: float
) -> None:
    assert trust_factor(w_trust, 1.0) == 1.0
    assert 1.0 - w_trust <= trust_factor(w_trust, trust) <= 1.0
