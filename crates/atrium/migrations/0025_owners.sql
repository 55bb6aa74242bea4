-- expand
-- How often it changed whose an app's devices are: what was counted of any day may be other people since.
CREATE TABLE owner_versions (
    app_id  TEXT PRIMARY KEY REFERENCES apps (id) ON DELETE CASCADE,
    version BIGINT NOT NULL
);
