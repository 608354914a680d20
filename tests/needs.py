"""What a test may need that a machine may lack, and what happens then.

A test that lacks something is skipped with a reason that names it. Where the environment variable `KARTE_REQUIRE` lists
that name (`KARTE_REQUIRE=data,tmpfs`), such a skip makes the whole run fail: what is there must be used.
"""

import os
from typing import NoReturn

import pytest

PREFIX = "needs "


def lacking(name: str, why: str) -> NoReturn:
    """Skip the running test, because this machine lacks `name`; `why` is for the reader of the report."""
    pytest.skip(f"{PREFIX}{name}: {why}")


def required() -> frozenset[str]:
    """The names that this run must not lack."""
    return frozenset(name.strip() for name in os.environ.get("KARTE_REQUIRE", "").split(",") if name.strip())


def lacked(reason: str) -> str | None:
    """The name in a skip's reason, or None where the reason is another one."""
    _, found, rest = reason.partition(PREFIX)
    return rest.partition(":")[0].strip() if found else None
