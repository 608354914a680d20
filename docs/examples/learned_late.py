"""A divorce is learned before the marriage that came first. Both time axes answer rightly all the same."""

from datetime import UTC, datetime

from karte import Karte

today = datetime(2026, 5, 1, 9, tzinfo=UTC)  # a clock that this program moves by hand

with Karte("people.db", agent="clerk", clock=lambda: today) as memory:
    memory.store_temporal(
        "Mia is divorced", subject="Mia", predicate="marital status", object="divorced", valid_from="2021-03-01"
    )
    today = datetime(2026, 5, 8, 9, tzinfo=UTC)
    memory.store_temporal(
        "Mia has married Jon", subject="Mia", predicate="marital status", object="married", valid_from="2015-06-20"
    )

    # World time: what was true then? The late news is a bounded stretch of history; today's answer is untouched.
    history = memory.get_history("Mia", "marital status")
    assert [(fact.object, str(fact.valid_from.date())) for fact in history] == [
        ("married", "2015-06-20"),
        ("divorced", "2021-03-01"),
    ]
    assert memory.get_at("Mia", "marital status", "2016").object == "married"
    assert memory.get_at("Mia", "marital status").object == "divorced"

    # Belief time: what did we believe on 3 May about 2016? Nothing yet.
    assert memory.get_at("Mia", "marital status", "2016", known_at="2026-05-03") is None
