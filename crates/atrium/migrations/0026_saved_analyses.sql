-- expand
-- Questions that people keep, for themselves or for everybody who asks in the app.
CREATE TABLE saved_analyses (
    id          TEXT PRIMARY KEY,
    app_id      TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    -- Whose alone it is, and goes with them; null: the app's.
    private_to  TEXT REFERENCES users (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    name_key    TEXT NOT NULL,
    name_order  TEXT NOT NULL,
    description TEXT,
    kind        TEXT NOT NULL,
    -- JSON
    question    TEXT NOT NULL,
    created_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
    created_at  BIGINT NOT NULL,
    updated_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
    updated_at  BIGINT NOT NULL,
    -- Grows with every change.
    version     BIGINT NOT NULL
);
CREATE INDEX saved_analyses_by_app ON saved_analyses (app_id);
CREATE INDEX saved_analyses_by_keeper ON saved_analyses (private_to);
CREATE INDEX saved_analyses_by_creator ON saved_analyses (created_by);
CREATE INDEX saved_analyses_by_author ON saved_analyses (updated_by);

-- Named sets of an app's people, kept in the same way.
CREATE TABLE cohorts (
    id          TEXT PRIMARY KEY,
    app_id      TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    private_to  TEXT REFERENCES users (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    name_key    TEXT NOT NULL,
    name_order  TEXT NOT NULL,
    description TEXT,
    -- ids, figure or rule
    kind        TEXT NOT NULL,
    -- JSON
    definition  TEXT NOT NULL,
    -- How many ids it lists: a list of cohorts tells this and not the ids.
    listed      BIGINT NOT NULL DEFAULT 0,
    created_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
    created_at  BIGINT NOT NULL,
    updated_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
    updated_at  BIGINT NOT NULL,
    version     BIGINT NOT NULL
);
CREATE INDEX cohorts_by_app ON cohorts (app_id);
CREATE INDEX cohorts_by_keeper ON cohorts (private_to);
CREATE INDEX cohorts_by_creator ON cohorts (created_by);
CREATE INDEX cohorts_by_author ON cohorts (updated_by);
