-- expand
-- The oldest program that may use the tables after a migration, by the last migration that it knows:
-- a program of an earlier release looks here whether it may go on.
ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS oldest_program UInt32;

-- What has to be counted from events that were stored before a table was there: an app's month at a time,
-- beside the running system.
CREATE TABLE IF NOT EXISTS recounts
(
    name LowCardinality(String),
    app_id UUID,
    month UInt32,
    done SimpleAggregateFunction(max, UInt8)
)
ENGINE = {AggregatingMergeTree}
ORDER BY (name, app_id, month)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
