"""Looking after the file: what is in force, what is wrong with it, and mending what can be computed anew."""

from __future__ import annotations

from karte.config import Config
from karte.domain.model import DoctorReport, Status
from karte.service.planning import Fact, settle
from karte.service.services import Services
from karte.service.transactions import writing
from karte.storage.protocol import Progress
from karte.version import VERSION


def doctor(services: Services, *, rebuild: bool = False, on_progress: Progress | None = None) -> DoctorReport:
    """What is wrong with the file; with ``rebuild``, what could be mended is.

    Derived data are computed anew, and facts whose rows contradict each other are planned anew, each in a transaction
    of its own and with revisions.
    """

    def settle_fact(agent: str, identity: str) -> None:
        with writing(services) as session:
            settle(services, session, Fact(agent, identity), operation="doctor")

    return services.store.inspect(rebuild=rebuild, settle=settle_fact if rebuild else None, on_progress=on_progress)


def status(services: Services, config: Config) -> Status:
    """What is in force, with where each setting came from, and how much the file holds."""
    store = services.store
    size = store.size()
    return Status(
        path=store.path,
        version=VERSION,
        schema_version=size.schema_version,
        sqlite_version=size.sqlite_version,
        read_only=store.is_read_only,
        file_bytes=size.file_bytes,
        wal_bytes=size.wal_bytes,
        memories=size.memories,
        facts=size.facts,
        current=size.current,
        archived=size.archived,
        quarantined=size.quarantined,
        agents=size.agents,
        settings=config.settings(),
        settings_from=config.settings_from(),
        warnings=config.warnings,
    )
