-- expand
-- How often profiles of an app have changed: answers about them are kept until they do.
CREATE TABLE profile_versions (
    app_id  TEXT PRIMARY KEY REFERENCES apps (id) ON DELETE CASCADE,
    version BIGINT NOT NULL
);
