"""The same calls for asyncio. The engine works on threads, so the event loop stays free."""

import asyncio

from karte import AsyncKarte


async def main() -> None:
    async with AsyncKarte("notes.db", agent="ops") as memory:
        stored = await memory.store("The staging database moves on Friday", tags=["ops"])
        hits = await memory.search("when does the staging database move?")
        assert hits[0].memory.id == stored.id

        found = await memory.get_by_ids([stored.id, "no such id"])
        assert found.total_found == 1
        assert list(found.missing_ids) == ["no such id"]


asyncio.run(main())
