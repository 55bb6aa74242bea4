-- Second factors, passkeys, recent sign-in, notifications.

-- What the holder of a token is in the middle of, encrypted under the master key.
ALTER TABLE one_time_tokens ADD COLUMN payload TEXT;

-- When the session's holder last proved who they are, and whether by two factors.
ALTER TABLE sessions ADD COLUMN proven_at BIGINT;
ALTER TABLE sessions ADD COLUMN second_factor_at BIGINT;

-- Set while the organisation asks its members for a second factor.
ALTER TABLE organizations ADD COLUMN require_mfa_at BIGINT;

-- The secret is encrypted under the master key. The last time step used is refused, and all before.
CREATE TABLE totp_factors (
    user_id      TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    secret       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    confirmed_at BIGINT,
    last_step    BIGINT NOT NULL
);

CREATE TABLE recovery_codes (
    user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    used_at   BIGINT,
    PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE passkeys (
    id            TEXT PRIMARY KEY,
    user_id       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    credential_id TEXT NOT NULL UNIQUE,
    -- Public key and counter, as JSON.
    credential    TEXT NOT NULL,
    name          TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    last_used_at  BIGINT
);
CREATE INDEX passkeys_by_user ON passkeys (user_id);

-- What a person is told inside the console. Words are made when it is read, in the reader's language.
CREATE TABLE notifications (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    notice     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    read_at    BIGINT
);
CREATE INDEX notifications_by_user ON notifications (user_id, created_at);
CREATE INDEX notifications_by_age ON notifications (created_at);
