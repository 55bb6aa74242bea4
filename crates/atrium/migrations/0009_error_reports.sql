-- Those who run the instance: they see what its console reports.
ALTER TABLE users ADD COLUMN operator_at BIGINT;

-- Errors of the console in people's browsers, those of one kind together.
CREATE TABLE error_groups (
    id            TEXT PRIMARY KEY,
    fingerprint   TEXT NOT NULL UNIQUE,
    kind          TEXT NOT NULL,
    message       TEXT NOT NULL,
    search_key    TEXT NOT NULL,
    -- How many came, also of those that are kept no longer.
    reports       BIGINT NOT NULL,
    first_seen_at BIGINT NOT NULL,
    last_seen_at  BIGINT NOT NULL
);
CREATE INDEX error_groups_by_age ON error_groups (last_seen_at);

-- Whom an error touched.
CREATE TABLE error_people (
    group_id TEXT NOT NULL REFERENCES error_groups (id) ON DELETE CASCADE,
    user_id  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (group_id, user_id)
);
CREATE INDEX error_people_by_person ON error_people (user_id);

-- A report can hold what was on someone's screen: it goes with their account.
CREATE TABLE error_reports (
    id        TEXT PRIMARY KEY,
    group_id  TEXT NOT NULL REFERENCES error_groups (id) ON DELETE CASCADE,
    -- Null for someone who was not signed in.
    user_id   TEXT REFERENCES users (id) ON DELETE CASCADE,
    -- What the browser calls it, so that one that is sent twice counts once.
    event_id  TEXT NOT NULL UNIQUE,
    replay_id TEXT,
    route     TEXT NOT NULL,
    release   TEXT NOT NULL,
    browser   TEXT NOT NULL,
    at        BIGINT NOT NULL,
    bytes     BIGINT NOT NULL,
    event     TEXT NOT NULL
);
CREATE INDEX error_reports_by_group ON error_reports (group_id, at);
CREATE INDEX error_reports_by_person ON error_reports (user_id);
CREATE INDEX error_reports_by_age ON error_reports (at);

-- What was on screen, piece by piece: packed JSON in Base64.
CREATE TABLE error_replays (
    id        TEXT PRIMARY KEY,
    replay_id TEXT NOT NULL,
    segment   BIGINT NOT NULL,
    user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    at        BIGINT NOT NULL,
    bytes     BIGINT NOT NULL,
    recording TEXT NOT NULL,
    UNIQUE (replay_id, user_id, segment)
);
CREATE INDEX error_replays_by_person ON error_replays (user_id);
CREATE INDEX error_replays_by_age ON error_replays (at);
