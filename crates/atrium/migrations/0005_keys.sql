-- Those who run an organisation, without walking its members.
CREATE INDEX org_members_by_role ON org_members (org_id, role);

-- What a program shows to say which app it belongs to: `collect` is public and kept in full, of
-- `query` only the hash and a masked form are kept. A value without an end is the current one; the
-- others are on their way out.
CREATE TABLE api_keys (
    id           TEXT PRIMARY KEY,
    app_id       TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    kind         TEXT NOT NULL CHECK (kind IN ('collect', 'query')),
    value        TEXT,
    value_hash   TEXT NOT NULL UNIQUE,
    hint         TEXT NOT NULL,
    created_by   TEXT REFERENCES users (id) ON DELETE SET NULL,
    created_at   BIGINT NOT NULL,
    valid_until  BIGINT,
    last_used_at BIGINT,
    last_used_ip TEXT
);
CREATE UNIQUE INDEX api_keys_current ON api_keys (app_id, kind) WHERE valid_until IS NULL;
CREATE INDEX api_keys_by_app ON api_keys (app_id);
CREATE INDEX api_keys_by_creator ON api_keys (created_by);
CREATE INDEX api_keys_by_end ON api_keys (valid_until);

-- They sign calls, so their secrets must be read again: sealed under the master key.
CREATE TABLE access_keys (
    id            TEXT PRIMARY KEY,
    app_id        TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    name_key      TEXT NOT NULL,
    secret_sealed TEXT NOT NULL,
    enabled       BIGINT NOT NULL,
    created_by    TEXT REFERENCES users (id) ON DELETE SET NULL,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT,
    last_used_at  BIGINT,
    last_used_ip  TEXT,
    -- The last reminder of the end that went out: 0 none, 1 a week before, 2 a day before, 3 after it.
    reminded      BIGINT NOT NULL,
    UNIQUE (app_id, name_key)
);
CREATE INDEX access_keys_by_creator ON access_keys (created_by);
CREATE INDEX access_keys_by_end ON access_keys (expires_at);

-- Where keys of either kind were used from lately.
CREATE TABLE key_addresses (
    key_id       TEXT NOT NULL,
    ip           TEXT NOT NULL,
    last_used_at BIGINT NOT NULL,
    PRIMARY KEY (key_id, ip)
);
CREATE INDEX key_addresses_by_use ON key_addresses (last_used_at);
