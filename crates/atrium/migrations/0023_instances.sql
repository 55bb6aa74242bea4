-- Every instance says here, every few seconds, that it lives and how it is.
CREATE TABLE instances (
    -- The name of its spool, which stays the same after a restart.
    id         TEXT PRIMARY KEY,
    version    TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    -- By the database's clock, so that instances whose own are wrong can be compared.
    seen_at    BIGINT NOT NULL,
    -- JSON
    health     TEXT NOT NULL
);

-- How each job went the last time, on each instance.
CREATE TABLE job_runs (
    job          TEXT NOT NULL,
    instance     TEXT NOT NULL,
    started_at   BIGINT NOT NULL,
    duration_ms  BIGINT NOT NULL,
    -- Why it failed; null where it went well.
    error        TEXT,
    succeeded_at BIGINT,
    PRIMARY KEY (job, instance)
);
