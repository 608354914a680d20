"""``AsyncKarte``: the calls of ``Karte`` for asyncio, on worker threads; the loop never waits.

A call that is cancelled goes on to its end on its thread, whole or (where it fails) not at all;
only its answer is dropped. So no lock outlives it.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Any, Final, Self

from karte.errors import StorageError
from karte.memory import Karte

WORKERS: Final = 8


def _calls() -> frozenset[str]:
    """The public calls of ``Karte``, inherited ones too: all of them are mirrored."""
    return frozenset(name for name in dir(Karte) if not name.startswith("_") and callable(getattr(Karte, name)))


class AsyncKarte:
    """``async with AsyncKarte("memory.db") as memory: await memory.search("...")``.

    Takes the arguments of ``Karte``. Every call of ``Karte`` is here, awaitable; the file is
    opened by the first of them (or by ``async with``), off the loop.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        self._open = functools.partial(Karte, *arguments, **settings)
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="karte")
        self._opening: asyncio.Lock | None = None
        self._memory: Karte | None = None
        self._under_way: set[Future[Any]] = set()
        self._is_closed = False

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        if name not in _CALLS:
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

        @functools.wraps(getattr(Karte, name))
        async def call(*arguments: Any, **settings: Any) -> Any:
            memory = await self._opened()
            return await self._run(functools.partial(getattr(memory, name), *arguments, **settings))

        return call

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_CALLS})

    async def _opened(self) -> Karte:
        if self._is_closed:
            raise StorageError("the memory is closed", remedy="open it again")
        if self._memory is None:
            self._opening = self._opening or asyncio.Lock()
            async with self._opening:
                if self._memory is None:
                    self._start_workers()
                    self._memory = await self._run(self._open)
        return self._memory

    def _start_workers(self) -> None:
        """Starts every worker while nothing runs yet.

        Whoever starts a thread waits until it runs; started in the midst of work, eight of them wait for each other's
        turns, and the loop with them.
        """
        all_there = threading.Barrier(WORKERS)
        for _ in range(WORKERS):
            self._pool.submit(all_there.wait)

    async def _run(self, work: Callable[[], Any]) -> Any:
        job = self._pool.submit(work)
        self._under_way.add(job)  # by its thread, for the loop may end before it does
        job.add_done_callback(self._under_way.discard)
        answer = asyncio.wrap_future(job)
        answer.add_done_callback(_hear)
        return await asyncio.shield(answer)

    async def close(self) -> None:
        """Waits for what is under way, then closes the file; closing again does nothing."""
        if self._is_closed:
            return
        await asyncio.sleep(0)  # calls that were made before this one begin before it
        self._is_closed = True
        while self._under_way:
            await asyncio.to_thread(wait, set(self._under_way))
        memory, self._memory = self._memory, None
        if memory is not None:
            await asyncio.to_thread(memory.close)
        await asyncio.to_thread(self._pool.shutdown)

    async def __aenter__(self) -> Self:
        await self._opened()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


def _hear(answer: asyncio.Future[Any]) -> None:
    """Who cancelled a call does not ask how it ended; asyncio would complain that nobody did."""
    if not answer.cancelled():
        answer.exception()


_CALLS: Final = _calls() - {"close"}
