"""A few words to tell facts with, for the tests that read like stories."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import karte
from tests.conftest import FakeClock

AGENT = "a1"


def when(text: str) -> datetime:
    """An instant of UTC."""
    read = datetime.fromisoformat(text)
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)


def day(moment: datetime | None) -> str | None:
    """The instant as short as it can be written: a day, or a day and a time."""
    if moment is None:
        return None
    assert moment.tzinfo is not None
    text = moment.astimezone(UTC).replace(tzinfo=None).isoformat()
    return text.removesuffix("T00:00:00")


class Teller:
    """Tells an engine facts about one subject and predicate, a clock beside it."""

    def __init__(self, path: Path, clock: FakeClock, config: karte.Config | None = None) -> None:
        self.path = path
        self.clock = clock
        self.engine = karte.SqliteMemoryEngine(path, config=config, clock=clock)
        self.told = 0

    def reopen(self) -> None:
        """Close the file and open it again."""
        self.engine.close()
        self.engine = karte.SqliteMemoryEngine(self.path, clock=self.clock)

    def item(
        self,
        value: str,
        start: Any = None,
        until: Any = None,
        *,
        subject: str = "service",
        predicate: str = "owner",
        agent: str = AGENT,
        id: str | None = None,
        **meta: Any,
    ) -> tuple[karte.MemoryEntry, karte.TemporalMeta]:
        """A fact as it is given to the engine; its event is ``e1``, ``e2``, ... unless said."""
        self.told += 1
        entry = karte.MemoryEntry(
            content=f"the {predicate.strip()} of {subject.strip()} is {value}", agent_id=agent, id=id, layer="semantic"
        )
        meta.setdefault("source_event", f"e{self.told}")
        return entry, karte.TemporalMeta(
            subject=subject, predicate=predicate, object=value, valid_from=start, valid_until=until, **meta
        )

    def tell(self, value: str, start: Any = None, until: Any = None, **more: Any) -> karte.StoreOutcome:
        """Store a fact, a second after the last one."""
        self.clock.advance(seconds=1)
        entry, meta = self.item(value, start, until, **more)
        return self.engine.store_temporal(entry, meta)

    def end(self, at: Any = None, event: str = "", **more: Any) -> karte.EndOutcome:
        """End the fact, a second after the last thing said."""
        self.clock.advance(seconds=1)
        return self.engine.end_fact(AGENT, "service", "owner", at, event, **more)

    def at(self, moment: Any = None, subject: str = "service", predicate: str = "owner", **more: Any) -> str | None:
        """The object that holds at an instant."""
        found = self.engine.get_at(AGENT, subject, predicate, moment, **more)
        return None if found is None else found.object

    def history(self, subject: str = "service", predicate: str = "owner", **more: Any) -> list[karte.TemporalRecord]:
        """Every stretch."""
        return self.engine.get_history(AGENT, subject, predicate, **more)

    def live(self, subject: str = "service", predicate: str = "owner", **more: Any) -> list[karte.TemporalRecord]:
        """The live stretches."""
        return [row for row in self.history(subject, predicate, **more) if row.state == "live"]

    def line(
        self, subject: str = "service", predicate: str = "owner", **more: Any
    ) -> list[tuple[str | None, str | None, str | None]]:
        """The live stretches as (object, first day, last day)."""
        return [
            (row.object, day(row.valid_from), day(row.valid_until)) for row in self.live(subject, predicate, **more)
        ]

    def found(self, query: str, **more: Any) -> list[str | None]:
        """The objects that a search finds, sorted."""
        hits = self.engine.search(AGENT, query, limit=50, touch=False, **more)
        return sorted((hit.memory.object for hit in hits), key=str)

    def listed(self, **more: Any) -> list[str | None]:
        """The objects that a list of recent memories shows, sorted."""
        return sorted((one.object for one in self.engine.list_recent(AGENT, limit=200, **more).items), key=str)


def check_chain(rows: Sequence[karte.TemporalRecord]) -> None:
    """The rows are one unbroken chain in the order they stand in."""
    assert [row.supersedes for row in rows] == [None, *(row.id for row in rows[:-1])][: len(rows)]
    ids = {row.id for row in rows}
    assert all(row.superseded_by is None or row.superseded_by in ids - {row.id} for row in rows)
