"""The version of Karte, in one place; the build reads it from here."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
