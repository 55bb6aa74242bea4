-- What came in: counted per app and day, booked once per batch that was loaded.
CREATE TABLE ingest_ledger (
    app_id      TEXT NOT NULL,
    -- In the app's time zone.
    day         TEXT NOT NULL,
    kind        TEXT NOT NULL,
    -- accepted, duplicate, or the reason of a rejection.
    outcome     TEXT NOT NULL,
    sdk_version TEXT NOT NULL,
    messages    BIGINT NOT NULL,
    PRIMARY KEY (app_id, day, kind, outcome, sdk_version)
);
CREATE TABLE ingest_batches (
    batch     TEXT PRIMARY KEY,
    booked_at BIGINT NOT NULL
);
CREATE INDEX ingest_batches_by_age ON ingest_batches (booked_at);

-- Work that one instance does at a time.
CREATE TABLE leases (
    name       TEXT PRIMARY KEY,
    holder     TEXT NOT NULL,
    held_until BIGINT NOT NULL
);

-- How long events are kept; NULL is as long as the organisation says.
ALTER TABLE apps ADD COLUMN retention_days BIGINT;

-- One end user's data, to be removed on their wish.
CREATE TABLE erasures (
    id         TEXT PRIMARY KEY,
    app_id     TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL CHECK (kind IN ('user', 'device')),
    -- Sealed while it is needed, gone when it is done.
    subject    TEXT,
    hint       TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('pending', 'running', 'done', 'failed')),
    asked_by   TEXT REFERENCES users (id) ON DELETE SET NULL,
    asked_at   BIGINT NOT NULL,
    done_at    BIGINT,
    events     BIGINT,
    tries      BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX erasures_by_app ON erasures (app_id, asked_at);
CREATE INDEX erasures_by_state ON erasures (state);

-- What was said about an app's data of late, so that it is said once.
CREATE TABLE ingest_alerts (
    app_id  TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    kind    TEXT NOT NULL,
    told_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, kind)
);
