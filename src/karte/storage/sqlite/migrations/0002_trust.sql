-- Trust: attempts of counted origins, approvals, operations that can be undone, and events.

ALTER TABLE karte_state ADD COLUMN next_expiry TEXT NOT NULL DEFAULT '~';
-- When the first pending approval expires; '~' sorts after every instant.

ALTER TABLE memory_assertions ADD COLUMN ingested_at TEXT;
-- When a released assertion first arrived; NULL where that is `learned_at`.
ALTER TABLE memory_assertions ADD COLUMN cut_trust REAL;
-- The most that a cut assertion is trusted; NULL means a tenth.

CREATE TABLE guard_attempts (
    attempt INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    origin TEXT NOT NULL,
    subject TEXT NOT NULL,
    clock TEXT NOT NULL,
    memory_id TEXT,
    learned_order INTEGER
);
CREATE INDEX guard_attempts_key ON guard_attempts(agent_id, origin, subject, clock);
CREATE INDEX guard_attempts_clock ON guard_attempts(clock);

CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    action_kind TEXT NOT NULL,
    origin TEXT,
    subject TEXT NOT NULL,
    summary TEXT NOT NULL,
    payload TEXT NOT NULL DEFAULT '{}',
    state TEXT NOT NULL DEFAULT 'pending',
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    decided_at TEXT,
    decided_by TEXT,
    reason TEXT NOT NULL DEFAULT ''
);
CREATE INDEX approvals_pending ON approvals(agent_id, action_kind, subject, origin) WHERE state = 'pending';
CREATE INDEX approvals_expiry ON approvals(expires_at) WHERE state = 'pending';
CREATE INDEX approvals_listing ON approvals(created_at, id);

CREATE TABLE approval_items (
    item INTEGER PRIMARY KEY,
    approval_id TEXT NOT NULL REFERENCES approvals(id) ON DELETE CASCADE,
    memory_id TEXT,
    learned_order INTEGER
);
CREATE INDEX approval_items_approval ON approval_items(approval_id);
CREATE INDEX approval_items_memory ON approval_items(memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX approval_items_assertion ON approval_items(learned_order) WHERE learned_order IS NOT NULL;

CREATE TABLE operations (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    origin TEXT,
    since TEXT,
    event TEXT NOT NULL DEFAULT '',
    done_at TEXT NOT NULL,
    undone_at TEXT
);
CREATE TABLE operation_items (
    item INTEGER PRIMARY KEY,
    operation_id TEXT NOT NULL REFERENCES operations(id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    memory_id TEXT,
    learned_order INTEGER,
    name TEXT,
    before TEXT NOT NULL
);
CREATE INDEX operation_items_operation ON operation_items(operation_id);
CREATE INDEX operation_items_memory ON operation_items(memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX operation_items_assertion ON operation_items(learned_order) WHERE learned_order IS NOT NULL;

CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    level TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    happened_at TEXT NOT NULL,
    origin TEXT,
    subject TEXT,
    data TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX events_agent ON events(agent_id, sequence);
CREATE INDEX events_kind ON events(kind, sequence);

CREATE TABLE webhook_progress (
    url TEXT PRIMARY KEY,
    delivered INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    next_try_at TEXT,
    last_error TEXT
);
