"""Fixtures every test may use, and the rule that a skip for something required fails the run."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import needs

settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", deadline=None, max_examples=300, print_blob=True)
settings.load_profile(os.environ.get("KARTE_HYPOTHESIS", "ci"))


DEFAULT_DATA = Path(__file__).parents[2] / "shared" / "data"


class FakeClock:
    """A clock that stands still until a test moves it; calling it gives an aware datetime."""

    def __init__(self, start: str = "2026-06-01T00:00:00+00:00") -> None:
        self.now = _instant(start)

    def __call__(self) -> datetime:
        return self.now

    def set(self, text: str) -> datetime:
        """Move to an instant; a text without a zone is UTC."""
        self.now = _instant(text)
        return self.now

    def advance(
        self, *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0, microseconds: float = 0
    ) -> datetime:
        """Move on by a span; a negative one steps back."""
        self.now += timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds, microseconds=microseconds)
        return self.now


def _instant(text: str) -> datetime:
    read = datetime.fromisoformat(text)
    return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def db_path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with real timelines, conversations and older files; the test is skipped where there is none."""
    folder = Path(os.environ.get("KARTE_DATA") or DEFAULT_DATA)
    if not folder.is_dir():
        needs.lacking("data", f"there is no folder {folder}; KARTE_DATA names another")
    return folder.resolve()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


class SkipsOfRequired:
    """Collects the skips that lack something required, over all workers, and fails the run for them."""

    def __init__(self) -> None:
        self.required = needs.required()
        self.found: list[str] = []

    def note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if not report.skipped or not isinstance(report.longrepr, tuple):
            return
        reason = str(report.longrepr[2])
        marked = any(f"needs_{name}" in report.keywords for name in self.required)
        if marked or needs.lacked(reason) in self.required:
            self.found.append(f"{report.nodeid}: {reason}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.note(report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.found:
            terminalreporter.section("skipped, although required", sep="=", red=True)
            terminalreporter.write_line(f"KARTE_REQUIRE={','.join(sorted(self.required))}")
            for line in self.found:
                terminalreporter.write_line(line)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.found and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "data_dir" in getattr(item, "fixturenames", ()):
            item.add_marker("needs_data")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # once, in the process that sees the reports of all workers
        config.pluginmanager.register(SkipsOfRequired(), "karte-skips-of-required")
