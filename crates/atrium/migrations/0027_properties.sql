-- expand
-- How many rows questions read for a property of an app's events: what is read for much gets a column in the
-- event store. Counts half as much after a week.
CREATE TABLE property_uses (
    app_id    TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- The names on the way to it, as JSON.
    property  TEXT NOT NULL,
    rows_read DOUBLE PRECISION NOT NULL,
    used_at   BIGINT NOT NULL,
    PRIMARY KEY (app_id, property)
);

-- What people say a property is, where they know better than the data shows.
CREATE TABLE property_types (
    app_id     TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    property   TEXT NOT NULL,
    -- text, number, boolean, time or list
    value_type TEXT NOT NULL,
    updated_by TEXT REFERENCES users (id) ON DELETE SET NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (app_id, property)
);
CREATE INDEX property_types_by_author ON property_types (updated_by);
