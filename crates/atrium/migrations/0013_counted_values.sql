-- Which event names, property names and values of built-in fields have counts of their own: an app
-- may have so many of each a day. Only hashes, because names may be personal.
CREATE TABLE counted_values (
    app_id    TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- event, property, os, browser, device_type or language.
    field     TEXT NOT NULL,
    value     TEXT NOT NULL,
    -- Days since 1970, in the app's time zone.
    first_day BIGINT NOT NULL,
    last_day  BIGINT NOT NULL,
    PRIMARY KEY (app_id, field, value)
);
CREATE INDEX counted_values_by_age ON counted_values (last_day);

-- How many messages that were accepted went over which of those limits. No part of the ledger's sums.
CREATE TABLE ingest_over_limit (
    app_id   TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- In the app's time zone.
    day      TEXT NOT NULL,
    -- event_names, property_names or field_values.
    kind     TEXT NOT NULL,
    messages BIGINT NOT NULL,
    PRIMARY KEY (app_id, day, kind)
);
