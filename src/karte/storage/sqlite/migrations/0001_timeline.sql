-- The tables that belong to Karte alone; `memories` and its archive are widened column by column (adoption.py).
-- Columns named in Python stand in schema.py; a test holds the two together.

CREATE TABLE IF NOT EXISTS karte_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last_instant TEXT NOT NULL DEFAULT '',
    last_order INTEGER NOT NULL DEFAULT 0,
    last_ordinal INTEGER NOT NULL DEFAULT 0,
    names_version INTEGER NOT NULL DEFAULT 0,
    index_version TEXT NOT NULL DEFAULT ''
);
INSERT OR IGNORE INTO karte_state (id) VALUES (1);

CREATE TABLE IF NOT EXISTS memory_assertions (
    learned_order INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    identity TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    row_id TEXT NOT NULL,
    makes_row INTEGER NOT NULL,
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    object TEXT,
    content TEXT,
    value_key BLOB NOT NULL,
    valid_from TEXT NOT NULL,
    valid_until TEXT,
    origin TEXT,
    origin_trust REAL NOT NULL,
    authority TEXT NOT NULL,
    voice TEXT,
    confidence REAL NOT NULL,
    derived_from TEXT,
    source_event TEXT NOT NULL,
    learned_at TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'live',
    is_cut INTEGER NOT NULL DEFAULT 0
);
-- The next start; the same value with or without an end; the rare kinds that change the rules.
CREATE INDEX IF NOT EXISTS memory_assertions_start
    ON memory_assertions(agent_id, identity, valid_from)
    WHERE state = 'live';
CREATE INDEX IF NOT EXISTS memory_assertions_open
    ON memory_assertions(agent_id, identity, value_key, valid_from)
    WHERE valid_until IS NULL AND state = 'live';
CREATE INDEX IF NOT EXISTS memory_assertions_bounded
    ON memory_assertions(agent_id, identity, value_key, valid_from)
    WHERE valid_until IS NOT NULL AND state = 'live';
CREATE INDEX IF NOT EXISTS memory_assertions_curated
    ON memory_assertions(agent_id, identity)
    WHERE authority = 'curated' AND state = 'live';
CREATE INDEX IF NOT EXISTS memory_assertions_unverified
    ON memory_assertions(agent_id, identity)
    WHERE authority = 'unverified' AND state = 'live';
CREATE INDEX IF NOT EXISTS memory_assertions_cut
    ON memory_assertions(agent_id, identity)
    WHERE is_cut = 1 AND state = 'live';
CREATE INDEX IF NOT EXISTS memory_assertions_confirming
    ON memory_assertions(id) WHERE makes_row = 0;
CREATE INDEX IF NOT EXISTS memory_assertions_all
    ON memory_assertions(agent_id, identity)
    WHERE state <> 'live';

CREATE TABLE IF NOT EXISTS memory_sources (
    source_id TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    PRIMARY KEY (source_id, memory_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS memory_sources_memory ON memory_sources(memory_id);

CREATE TABLE IF NOT EXISTS memory_revisions (
    revision INTEGER PRIMARY KEY,
    memory_id TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    operation_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    event TEXT NOT NULL DEFAULT '',
    content TEXT,
    valid_from,
    valid_until,
    superseded_by,
    supersedes,
    origin_trust,
    quarantined,
    confidence,
    invalidated_by_event,
    invalidated_at,
    agent_id,
    tags,
    layer,
    importance,
    metadata,
    identity,
    state,
    is_contested,
    is_made
);
CREATE INDEX IF NOT EXISTS memory_revisions_memory
    ON memory_revisions(memory_id, changed_at);
CREATE INDEX IF NOT EXISTS memory_revisions_operation
    ON memory_revisions(operation_id);
CREATE INDEX IF NOT EXISTS memory_revisions_identity
    ON memory_revisions(identity)
    WHERE operation IN ('alias', 'cardinality');

CREATE TABLE IF NOT EXISTS entity_alias (
    agent_id TEXT NOT NULL,
    canonical TEXT NOT NULL,
    alias TEXT NOT NULL,
    created_at TEXT NOT NULL DEFAULT (datetime('now')),
    PRIMARY KEY (agent_id, alias)
);
CREATE INDEX IF NOT EXISTS idx_entity_alias_agent ON entity_alias(agent_id);

CREATE TABLE IF NOT EXISTS predicate_cardinality (
    agent_id TEXT NOT NULL,
    predicate TEXT NOT NULL,
    shown TEXT NOT NULL,
    cardinality TEXT NOT NULL,
    origin TEXT,
    declared_at TEXT NOT NULL,
    PRIMARY KEY (agent_id, predicate)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS name_revisions (
    revision INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    before TEXT,
    after TEXT,
    origin TEXT,
    changed_at TEXT NOT NULL,
    operation_id TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS name_revisions_agent
    ON name_revisions(agent_id, changed_at);

CREATE TABLE IF NOT EXISTS entity_embedding (
    agent_id TEXT NOT NULL,
    entity TEXT NOT NULL,
    model TEXT NOT NULL,
    vec BLOB NOT NULL,
    created_at TEXT NOT NULL DEFAULT (datetime('now')),
    PRIMARY KEY (agent_id, entity, model)
);
