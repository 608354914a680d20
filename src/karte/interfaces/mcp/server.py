"""``karte mcp``: one MCP client over standard input and output."""

from __future__ import annotations

import gc
import logging
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from karte.config import Config
from karte.domain.scopes import Principal, parse_scopes
from karte.interfaces.mcp.cursors import Walks
from karte.interfaces.mcp.pipes import take_over

if TYPE_CHECKING:
    from karte.engine import MemoryEngine

logger = logging.getLogger(__name__)


def run_stdio(*, config: Config, db: str, agent: str, scopes: Sequence[str], origin: str) -> int:
    """Serve until the client closes its end; gives the exit code 0.

    Raises ``KarteError`` where the file, the scopes or the pipes cannot be used; nothing has been
    written to standard output then.
    """
    pipes = take_over()  # before anything that might print
    level = logging.getLevelNamesMapping().get(os.environ.get("KARTE_LOG", "").upper(), logging.WARNING)
    logging.basicConfig(level=level, format="karte mcp: %(message)s")
    principal = Principal(agent=agent, scopes=parse_scopes(scopes), origin=origin)
    with _opened(config, db, origin) as engine:
        with _collecting_no_garbage():  # loading the SDK makes none, and is a quarter faster without looking for it
            from karte.interfaces.mcp.application import make_server  # noqa: PLC0415 (only once the file is open)
            from karte.interfaces.mcp.handlers import Desk  # noqa: PLC0415
            from karte.interfaces.mcp.stdio import serve  # noqa: PLC0415

        walks = Walks(f"{os.getpid()}/{time.monotonic_ns()}")
        server = make_server(Desk(engine=engine, principal=principal, walks=walks))
        with engine.delivering():
            serve(pipes, server)
    return 0


@contextmanager
def _collecting_no_garbage() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _opened(config: Config, db: str, origin: str) -> MemoryEngine:
    from karte.memory import open_engine  # noqa: PLC0415 (the scopes and pipes are judged first)

    is_platforms_place = "engine.path" not in config.sources and db == config.engine.path
    return open_engine(
        None if is_platforms_place else db,  # None: its folder is made if need be
        config=config,
        on_progress=lambda stage, done, total: logger.info("%s: %d of %d", stage, done, total),
        default_origin=origin,
    )
