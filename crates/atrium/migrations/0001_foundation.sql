-- Portable SQL only: TEXT and BIGINT columns, ids and JSON as TEXT, times as BIGINT
-- milliseconds, yes/no as a nullable time. The same file runs on SQLite and PostgreSQL.

-- One row about the instance itself.
CREATE TABLE instance (
    id              BIGINT PRIMARY KEY CHECK (id = 1),
    key_fingerprint TEXT,
    -- Set by whoever makes the first account; the update that sets it decides a race.
    setup_at        BIGINT,
    -- Raised by every transaction that changes what a cached session shows.
    epoch           BIGINT NOT NULL
);
INSERT INTO instance (id, epoch) VALUES (1, 1);

CREATE TABLE users (
    id                TEXT PRIMARY KEY,
    email             TEXT NOT NULL,
    email_normalized  TEXT NOT NULL UNIQUE,
    name              TEXT NOT NULL,
    locale            TEXT NOT NULL,
    timezone          TEXT NOT NULL,
    password_hash     TEXT,
    email_verified_at BIGINT,
    last_login_at     BIGINT,
    last_app_id       TEXT,
    created_at        BIGINT NOT NULL,
    disabled_at       BIGINT
);

CREATE TABLE sessions (
    id           TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash   TEXT NOT NULL UNIQUE,
    created_at   BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    ip           TEXT NOT NULL,
    user_agent   TEXT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);

-- Secrets that reach a person outside the console (a link, a code), kept as hashes.
CREATE TABLE one_time_tokens (
    id         TEXT PRIMARY KEY,
    purpose    TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    email      TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT
);

-- Failed tries per account and per address. A row is one window of counting.
CREATE TABLE throttles (
    scope         TEXT PRIMARY KEY,
    window_start  BIGINT NOT NULL,
    failures      BIGINT NOT NULL,
    blocked_until BIGINT NOT NULL
);
CREATE INDEX throttles_by_window ON throttles (window_start);

CREATE TABLE organizations (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    timezone   TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE org_members (
    org_id    TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role      TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    joined_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, user_id)
);
CREATE INDEX org_members_by_user ON org_members (user_id);

CREATE TABLE apps (
    id          TEXT PRIMARY KEY,
    org_id      TEXT NOT NULL REFERENCES organizations (id),
    name        TEXT NOT NULL,
    description TEXT NOT NULL,
    region      TEXT NOT NULL,
    timezone    TEXT NOT NULL,
    created_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
    created_at  BIGINT NOT NULL,
    archived_at BIGINT,
    deleted_at  BIGINT,
    purge_at    BIGINT
);
CREATE INDEX apps_by_org ON apps (org_id);
CREATE UNIQUE INDEX apps_name_in_org ON apps (org_id, name) WHERE deleted_at IS NULL;

-- Append-only. Entries of one chain (an organisation's, or the instance's) each carry the hash of
-- the one before, keyed by the master key, so that an edit by hand shows.
CREATE TABLE audit_entries (
    id          TEXT PRIMARY KEY,
    chain       TEXT NOT NULL,
    seq         BIGINT NOT NULL,
    org_id      TEXT,
    app_id      TEXT,
    actor_kind  TEXT NOT NULL,
    actor_id    TEXT,
    action      TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id   TEXT,
    details     TEXT NOT NULL,
    ip          TEXT,
    user_agent  TEXT,
    at          BIGINT NOT NULL,
    prev_hash   TEXT NOT NULL,
    hash        TEXT NOT NULL,
    UNIQUE (chain, seq)
);
CREATE INDEX audit_entries_by_org ON audit_entries (org_id, at);
CREATE INDEX audit_entries_by_actor ON audit_entries (actor_id, at);

-- The end of each chain. Updating its row is the lock that orders appends.
CREATE TABLE audit_chains (
    chain TEXT PRIMARY KEY,
    seq   BIGINT NOT NULL,
    hash  TEXT NOT NULL
);
