-- What people say about the events of an app. An event without a row is visible and undescribed.
CREATE TABLE event_metadata (
    app_id      TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    event       TEXT NOT NULL,
    description TEXT,
    hidden_at   BIGINT,
    updated_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (app_id, event)
);
CREATE INDEX event_metadata_by_author ON event_metadata (updated_by);

-- And about the properties of an event.
CREATE TABLE property_metadata (
    app_id      TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    event       TEXT NOT NULL,
    property    TEXT NOT NULL,
    description TEXT NOT NULL,
    updated_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (app_id, event, property)
);
CREATE INDEX property_metadata_by_author ON property_metadata (updated_by);

-- What refused messages looked like, a few of each reason: names of fields and kinds of values, never
-- a value.
CREATE TABLE ingest_samples (
    id     TEXT PRIMARY KEY,
    app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    at     BIGINT NOT NULL,
    sample TEXT NOT NULL
);
CREATE INDEX ingest_samples_by_app ON ingest_samples (app_id, reason, at);
CREATE INDEX ingest_samples_by_age ON ingest_samples (at);
