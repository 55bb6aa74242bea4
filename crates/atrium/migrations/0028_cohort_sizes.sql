-- expand
-- How many people a cohort had, once for each day of its app. Goes when the cohort is defined in another way.
CREATE TABLE cohort_sizes (
    cohort_id      TEXT NOT NULL REFERENCES cohorts (id) ON DELETE CASCADE,
    -- As in 2026-11-18.
    day            TEXT NOT NULL,
    -- For those who may see personal data; null where it could not be found out.
    people         BIGINT,
    -- For the others: what is not shown to them does not count.
    people_shown   BIGINT,
    -- Whether it says something about profiles, which not everybody may see.
    reads_profiles BIGINT NOT NULL,
    measured_at    BIGINT NOT NULL,
    PRIMARY KEY (cohort_id, day)
);
