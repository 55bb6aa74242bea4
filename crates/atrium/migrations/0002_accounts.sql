-- Mail, codes, resets and what a person has chosen to be told.

ALTER TABLE users ADD COLUMN notification_types TEXT;

-- A link may belong to an account; a code is guessed at, so tries are counted.
ALTER TABLE one_time_tokens ADD COLUMN user_id TEXT REFERENCES users (id) ON DELETE CASCADE;
ALTER TABLE one_time_tokens ADD COLUMN code_hash TEXT;
ALTER TABLE one_time_tokens ADD COLUMN tries BIGINT NOT NULL DEFAULT 0;
CREATE INDEX one_time_tokens_by_user ON one_time_tokens (user_id);

-- Mail that waits to be sent. The letter is encrypted under the master key, because links and
-- codes stand in it, and the row goes as soon as the mail is out.
CREATE TABLE mails (
    id          TEXT PRIMARY KEY,
    letter      TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    next_try_at BIGINT NOT NULL,
    tries       BIGINT NOT NULL,
    -- Whoever works on it says until when, so that two instances do not send it twice.
    leased_until BIGINT NOT NULL,
    last_error  TEXT
);
CREATE INDEX mails_by_next_try ON mails (next_try_at);
