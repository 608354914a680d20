"""The table ``memories`` and its archive: columns, in the order in which they came to be, and indexes.

``memories`` keeps the columns of the engines that came before us, in their order; ours follow.
The tables that belong to us alone are laid out by the numbered steps in ``migrations/``.
"""

from __future__ import annotations

from typing import Final

APPLICATION_ID: Final = 0x4B415254  # "KART"
SCHEMA_VERSION: Final = 9

ORIGINAL_COLUMNS: Final = (
    ("id", "TEXT PRIMARY KEY"),
    ("agent_id", "TEXT NOT NULL"),
    ("content", "TEXT NOT NULL"),
    ("timestamp", "TEXT NOT NULL"),
    ("tags", "TEXT NOT NULL DEFAULT '[]'"),
    ("created_at", "TEXT NOT NULL DEFAULT (datetime('now'))"),
)
"""The six columns that every file has."""

ADDED_COLUMNS: Final = (
    ("layer", "TEXT NOT NULL DEFAULT 'episodic'"),
    ("importance", "REAL NOT NULL DEFAULT 5.0"),
    ("access_count", "INTEGER NOT NULL DEFAULT 0"),
    ("last_accessed", "TEXT"),
    ("source_event", "TEXT DEFAULT ''"),
    ("valid_from", "TEXT"),
    ("valid_until", "TEXT"),
    ("superseded_by", "TEXT"),
    ("supersedes", "TEXT"),
    ("subject", "TEXT"),
    ("predicate", "TEXT"),
    ("object", "TEXT"),
    ("confidence", "REAL NOT NULL DEFAULT 1.0"),
    ("metadata", "TEXT NOT NULL DEFAULT '{}'"),
    ("origin", "TEXT"),
    ("origin_trust", "REAL NOT NULL DEFAULT 1.0"),
    ("derived_from", "TEXT"),
    ("ingested_at", "TEXT"),
    ("invalidated_by_event", "TEXT"),
    ("invalidated_at", "TEXT"),
    ("embedding", "BLOB"),
    ("embedding_model", "TEXT"),
    ("quarantined", "INTEGER NOT NULL DEFAULT 0"),
)
"""The columns that older engines added one by one, in their order."""

OWN_COLUMNS: Final = (
    ("ordinal", "INTEGER"),
    ("identity", "TEXT"),
    ("assertion", "INTEGER"),
    ("recorded_at", "TEXT"),
    ("state", "TEXT"),
    ("is_made", "INTEGER NOT NULL DEFAULT 1"),
    ("is_contested", "INTEGER NOT NULL DEFAULT 0"),
    ("support", "TEXT"),
    ("claimed_trust", "REAL"),
)
"""Ours: ``ordinal`` is the row's number in the search index; ``identity`` and ``assertion`` tie a
fact's row to its timeline; ``recorded_at`` is when a row that no write made came to be; ``state``
is NULL while live; ``support`` is what its confidence and reaffirmations are computed from;
``claimed_trust`` is the trust of a plain memory before it was cut, NULL where it is not."""

ARCHIVE_COLUMNS: Final = (
    ("archived_at", "TEXT NOT NULL DEFAULT (datetime('now'))"),
    ("archive_reason", "TEXT NOT NULL DEFAULT ''"),
)

COLUMNS: Final = (*ORIGINAL_COLUMNS, *ADDED_COLUMNS, *OWN_COLUMNS)
ARCHIVE_TABLE_COLUMNS: Final = (
    *ORIGINAL_COLUMNS[:5],
    ("created_at", "TEXT"),  # the archive of an older engine had none, and rows
    *ADDED_COLUMNS,
    *OWN_COLUMNS,
    *ARCHIVE_COLUMNS,
)
COLUMN_NAMES: Final = tuple(name for name, _ in COLUMNS)

BELIEF_COLUMNS: Final = (
    "valid_from",
    "valid_until",
    "superseded_by",
    "supersedes",
    "origin_trust",
    "quarantined",
    "confidence",
    "invalidated_by_event",
    "invalidated_at",
    "agent_id",
    "tags",
    "layer",
    "importance",
    "metadata",
    "identity",
    "state",
    "is_contested",
    "is_made",
)
"""What a revision keeps of a row besides its content: everything a later reader may ask back."""

CREATE_MEMORIES: Final = (
    "CREATE TABLE IF NOT EXISTS memories (" + ", ".join(f"{name} {kind}" for name, kind in ORIGINAL_COLUMNS) + ")"
)
CREATE_ARCHIVE: Final = (
    "CREATE TABLE IF NOT EXISTS memories_archive ("
    + ", ".join(f"{name} {kind}" for name, kind in ARCHIVE_TABLE_COLUMNS[:5])
    + ")"
)

INDEXES: Final = (
    "CREATE INDEX IF NOT EXISTS idx_memories_agent ON memories(agent_id, timestamp, ordinal)",
    "CREATE INDEX IF NOT EXISTS idx_memories_timestamp ON memories(timestamp)",
    "CREATE INDEX IF NOT EXISTS idx_memories_layer ON memories(layer)",
    "CREATE INDEX IF NOT EXISTS idx_memories_importance ON memories(importance DESC)",
    (
        "CREATE INDEX IF NOT EXISTS idx_memories_triple ON memories(agent_id, subject, predicate)"
        " WHERE valid_until IS NULL"
    ),
    "CREATE INDEX IF NOT EXISTS idx_memories_valid ON memories(agent_id, valid_until)",
    "CREATE UNIQUE INDEX IF NOT EXISTS idx_memories_ordinal ON memories(ordinal)",
    (
        "CREATE INDEX IF NOT EXISTS idx_memories_identity"
        " ON memories(agent_id, identity, valid_from, assertion) WHERE identity IS NOT NULL"
    ),
    ("CREATE INDEX IF NOT EXISTS idx_memories_computed ON memories(agent_id, identity) WHERE is_made = 0"),
    (
        "CREATE INDEX IF NOT EXISTS idx_memories_unsettled ON memories(agent_id, identity)"
        " WHERE support IS NULL AND identity IS NOT NULL AND state IS NULL AND quarantined = 0"
    ),
    ("CREATE INDEX IF NOT EXISTS idx_memories_assertion ON memories(assertion) WHERE assertion IS NOT NULL"),
    (
        "CREATE INDEX IF NOT EXISTS idx_memories_archive_identity"
        " ON memories_archive(agent_id, identity) WHERE identity IS NOT NULL"
    ),
    (
        "CREATE INDEX IF NOT EXISTS idx_memories_archive_assertion ON memories_archive(assertion)"
        " WHERE assertion IS NOT NULL"
    ),
)
