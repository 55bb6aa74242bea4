-- Organisations' settings, invitations, app members, custom roles, purge.

ALTER TABLE organizations ADD COLUMN retention_days BIGINT NOT NULL DEFAULT 365;

-- Lower-cased by the program, to search and sort by: the two databases' lower() and collation differ.
ALTER TABLE organizations ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
ALTER TABLE apps ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
UPDATE organizations SET name_key = lower(name);
UPDATE users SET name_key = lower(name);
UPDATE apps SET name_key = lower(name);
CREATE INDEX apps_by_name ON apps (org_id, name_key);

-- Set when a purge has begun: from then on there is no way back. Whoever works on it says until when.
ALTER TABLE apps ADD COLUMN purge_started_at BIGINT;
ALTER TABLE apps ADD COLUMN purge_leased_until BIGINT;
CREATE INDEX apps_by_purge ON apps (purge_at);
CREATE INDEX apps_by_age ON apps (org_id, created_at);
CREATE INDEX apps_by_creator ON apps (created_by);

-- Built-in roles stand in the code; these are the ones people make.
CREATE TABLE app_roles (
    id          TEXT PRIMARY KEY,
    app_id      TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    name_key    TEXT NOT NULL,
    description TEXT NOT NULL,
    permissions TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    UNIQUE (app_id, name_key)
);

CREATE TABLE app_members (
    app_id   TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- A built-in role's fixed id, or one of app_roles.
    role_id  TEXT NOT NULL,
    added_by TEXT REFERENCES users (id) ON DELETE SET NULL,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, user_id)
);
CREATE INDEX app_members_by_user ON app_members (user_id);
CREATE INDEX app_members_by_adder ON app_members (added_by);

CREATE TABLE invitations (
    id               TEXT PRIMARY KEY,
    org_id           TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    email            TEXT NOT NULL,
    email_normalized TEXT NOT NULL,
    role             TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
    app_grants       TEXT NOT NULL,
    invited_by       TEXT REFERENCES users (id) ON DELETE SET NULL,
    state            TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'expired', 'revoked', 'declined')),
    created_at       BIGINT NOT NULL,
    sent_at          BIGINT NOT NULL,
    expires_at       BIGINT NOT NULL
);
CREATE UNIQUE INDEX invitations_pending ON invitations (org_id, email_normalized) WHERE state = 'pending';
CREATE INDEX invitations_by_org ON invitations (org_id, created_at);
CREATE INDEX invitations_by_email ON invitations (email_normalized);
CREATE INDEX invitations_by_inviter ON invitations (invited_by);
CREATE INDEX invitations_by_end ON invitations (expires_at);

-- Who asked to join what, so that owners are not asked again the same day.
CREATE TABLE access_requests (
    org_id  TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    at      BIGINT NOT NULL,
    PRIMARY KEY (org_id, user_id)
);

CREATE INDEX access_requests_by_user ON access_requests (user_id);

CREATE INDEX audit_entries_by_app ON audit_entries (app_id, at);
