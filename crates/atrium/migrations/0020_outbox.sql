-- One outbox for mails and messages of a work chat: sealed, leased one by one by whoever sends, gone
-- when sent. What waits moves over, with its tries.
CREATE TABLE outbox (
    id           TEXT PRIMARY KEY,
    -- mail · wechatwork · feishu
    channel      TEXT NOT NULL,
    body         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    next_try_at  BIGINT NOT NULL,
    tries        BIGINT NOT NULL,
    -- Whoever works on it says until when, so that no other instance sends it too.
    leased_until BIGINT NOT NULL,
    last_error   TEXT
);
CREATE INDEX outbox_by_next_try ON outbox (channel, next_try_at);

INSERT INTO outbox (id, channel, body, created_at, next_try_at, tries, leased_until, last_error)
SELECT id, 'mail', letter, created_at, next_try_at, tries, leased_until, last_error FROM mails;
INSERT INTO outbox (id, channel, body, created_at, next_try_at, tries, leased_until, last_error)
SELECT id, provider, message, created_at, next_try_at, tries, leased_until, last_error
FROM chat_messages;

DROP TABLE mails;
DROP TABLE chat_messages;
