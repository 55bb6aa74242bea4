-- Work-chat accounts (WeChat Work, Feishu) bound to people, and messages that wait to be sent there.

CREATE TABLE chat_bindings (
    provider TEXT NOT NULL CHECK (provider IN ('wechatwork', 'feishu')),
    -- The company over there: corp id, tenant key.
    tenant   TEXT NOT NULL,
    -- The person over there: user id in small letters, open id.
    subject  TEXT NOT NULL,
    -- The same person for all apps of one maker, where there is such a thing.
    union_id TEXT,
    user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name     TEXT NOT NULL,
    bound_at BIGINT NOT NULL,
    PRIMARY KEY (provider, tenant, subject)
);
CREATE UNIQUE INDEX chat_bindings_by_user ON chat_bindings (user_id, provider);

-- Like mails: sealed, leased by whoever sends, gone when sent.
CREATE TABLE chat_messages (
    id           TEXT PRIMARY KEY,
    provider     TEXT NOT NULL,
    message      TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    next_try_at  BIGINT NOT NULL,
    tries        BIGINT NOT NULL,
    leased_until BIGINT NOT NULL,
    last_error   TEXT
);
CREATE INDEX chat_messages_by_next_try ON chat_messages (next_try_at);
