-- Knowledge pages: what is known of each page's file, who wrote it, and texts that wait for a person.
-- A file gets its text after the commit: until then the text stands in 'pending', and 'moved_from' names the file (under
-- the pages root) that then goes. A row of 'page_sources' with 'withdrawn_by' is one whose origin was taken back.

CREATE TABLE pages (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent_id TEXT NOT NULL,
    doc_type TEXT NOT NULL,
    slug TEXT NOT NULL,
    title TEXT NOT NULL,
    summary TEXT NOT NULL DEFAULT '',
    tags TEXT NOT NULL DEFAULT '[]',
    layer TEXT NOT NULL,
    trust REAL NOT NULL,
    source_type TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'live',
    origin TEXT NOT NULL,
    author TEXT,
    text_digest TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    promoted_at TEXT,
    promoted_digest TEXT,
    held_back TEXT,
    problem TEXT,
    file_sign TEXT NOT NULL DEFAULT '',
    pending TEXT,
    moved_from TEXT,
    UNIQUE (agent_id, doc_type, slug)
);
CREATE INDEX pages_pending ON pages(ordinal) WHERE pending IS NOT NULL;

CREATE TABLE page_sources (
    agent_id TEXT NOT NULL,
    page_id TEXT NOT NULL,
    origin TEXT NOT NULL,
    text_digest TEXT NOT NULL,
    filed_at TEXT NOT NULL,
    withdrawn_by TEXT,
    PRIMARY KEY (page_id, origin, text_digest, filed_at)
) WITHOUT ROWID;
CREATE INDEX page_sources_origin ON page_sources(agent_id, origin, filed_at);
CREATE INDEX page_sources_withdrawn ON page_sources(withdrawn_by) WHERE withdrawn_by IS NOT NULL;

CREATE TABLE page_proposals (
    id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    page_id TEXT NOT NULL,
    origin TEXT NOT NULL,
    text TEXT NOT NULL,
    text_digest TEXT NOT NULL,
    proposed_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX page_proposals_page ON page_proposals(page_id);

CREATE VIRTUAL TABLE page_index USING fts5(title, text, content='', contentless_delete=1, tokenize="ascii tokenchars '|-_.,/:@&+#~'");
