-- Who may write: a number for each lease of loaders, which grows when one takes over from another that
-- did not give the lease back.
CREATE TABLE IF NOT EXISTS fences
(
    name String,
    fence SimpleAggregateFunction(max, Int64)
)
ENGINE = {AggregatingMergeTree}
ORDER BY name
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Under which number somebody was numbered: what one wrote who had been superseded does not count.
ALTER TABLE identities ADD COLUMN IF NOT EXISTS fence Int64;

-- The ids of the last days, to know a message that comes a second time. In the order of time: a batch's
-- messages happened at about the same time, so it finds its ids next to each other however many there are.
CREATE TABLE IF NOT EXISTS message_ids
(
    app_id UUID,
    time_ms Int64 CODEC(Delta, ZSTD(1)),
    log_id UUID,
    received DateTime('UTC') CODEC(Delta, ZSTD(1)),
    batch UInt64 CODEC(ZSTD(1))
)
ENGINE = {MergeTree}
PARTITION BY toDate(received)
ORDER BY (app_id, time_ms, log_id)
TTL received + INTERVAL 8 DAY
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1, fsync_after_insert = 1,
    fsync_part_directory = 1;
