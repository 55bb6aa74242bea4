-- How often the events of an app and a UTC day have changed. An answer that was made from them is
-- good for as long as the numbers stay the same.
CREATE TABLE data_versions (
    app_id  TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- Days since 1970; 0 stands for all of them.
    day     BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (app_id, day)
);
CREATE INDEX data_versions_by_day ON data_versions (day);

-- Devices and users of an app are numbered as they come; this is the next number.
CREATE TABLE people_numbers (
    app_id TEXT PRIMARY KEY REFERENCES apps (id) ON DELETE CASCADE,
    next   BIGINT NOT NULL
);
