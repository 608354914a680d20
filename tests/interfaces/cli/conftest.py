"""The command line as a shell runs it: a process of its own, a file of its own, no settings of this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

SOURCE = Path(__file__).parents[3] / "src"


@dataclass(frozen=True)
class Done:
    """How a run ended and what it said."""

    code: int
    raw_out: bytes
    raw_err: bytes

    @property
    def out(self) -> str:
        return self.raw_out.decode("utf-8")

    @property
    def err(self) -> str:
        return self.raw_err.decode("utf-8")

    @property
    def data(self) -> Any:
        """Standard output as the one JSON value that it must be."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error object on standard error."""
        error: dict[str, Any] = json.loads(self.err.splitlines()[-1])["error"]
        return error


class Karte(Protocol):
    def __call__(
        self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, **variables: str
    ) -> Done: ...


def environment_of(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KARTE_", "XDG_", "PYTHON"))}
    return kept | {"HOME": str(folder), "PYTHONPATH": str(SOURCE), "KARTE_DB": str(folder / "memory.db")}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return environment_of(tmp_path)


@pytest.fixture
def karte(tmp_path: Path, environment: dict[str, str]) -> Karte:
    """Runs ``karte ARGUMENTS``; other keyword arguments, and those in ``env``, are environment variables."""

    def run(*arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None, **variables: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "karte", *arguments],
            input=stdin,
            capture_output=True,
            cwd=tmp_path,
            env={**environment, **(env or {}), **variables},
            timeout=60,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def deploys(karte: Karte) -> Callable[[], list[str]]:
    """Stores the deployment target that moves; gives the ids."""

    def store() -> list[str]:
        ids = []
        for value, start in (("Vercel", "2024-01-01"), ("Cloudflare Workers", "2024-03-03")):
            done = karte(
                *("--json", "add", f"Deploys go to {value}", "-s", "user", "-p", "deploy_target"),
                *("-o", value, "--from", start),
            )
            assert done.code == 0, done.err
            ids.append(done.data["id"])
        return ids

    return store
