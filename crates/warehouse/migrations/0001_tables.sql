-- What people and their programs did, as it came in. Properties are text: to build a column of every
-- property costs as much as all other columns together, and to read one from the text is cheap enough.
CREATE TABLE IF NOT EXISTS events
(
    app_id UUID,
    time DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    event LowCardinality(String),
    log_id UUID,
    device_id String,
    user_id String,
    sdk_type LowCardinality(String),
    sdk_version LowCardinality(String),
    timezone_offset Float32,
    os LowCardinality(String),
    language LowCardinality(String),
    url_path String,
    device_type LowCardinality(String),
    browser LowCardinality(String),
    browser_version LowCardinality(String),
    user_agent LowCardinality(String),
    client_version LowCardinality(String),
    source LowCardinality(String),
    properties String CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    batch UInt64,
    device UInt64 MATERIALIZED cityHash64(device_id),
    person UInt64 MATERIALIZED if(user_id = '', cityHash64(device_id), cityHash64('user', user_id))
)
ENGINE = {MergeTree}
PARTITION BY toYYYYMM(time)
ORDER BY (app_id, toStartOfHour(time), event, time)
SETTINGS min_level_for_wide_part = 1, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

-- The ids of the last days, to know a message that comes a second time.
CREATE TABLE IF NOT EXISTS log_ids
(
    log_id UUID,
    app_id UUID,
    received DateTime('UTC'),
    batch UInt64
)
ENGINE = {MergeTree}
PARTITION BY toDate(received)
ORDER BY log_id
TTL received + INTERVAL 8 DAY
SETTINGS ttl_only_drop_parts = 1, fsync_after_insert = 1, fsync_part_directory = 1;

-- Changes to the properties of devices and users, in the order they came.
CREATE TABLE IF NOT EXISTS mutations
(
    app_id UUID,
    kind LowCardinality(String),
    id String,
    time DateTime64(3, 'UTC'),
    log_id UUID,
    operation LowCardinality(String),
    properties String CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC'),
    batch UInt64
)
ENGINE = {ReplacingMergeTree}
ORDER BY (app_id, kind, id, time, log_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- What those changes add up to. The properties are text: they are read and written as a whole.
CREATE TABLE IF NOT EXISTS profiles
(
    app_id UUID,
    kind LowCardinality(String),
    id String,
    properties String CODEC(ZSTD(1)),
    updated_at DateTime64(3, 'UTC'),
    last_log_id UUID,
    deleted UInt8,
    version UInt64
)
ENGINE = {ReplacingMergeTree:version}
ORDER BY (app_id, kind, id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

-- Which counts an erasure that is under way has to make anew. Empty in between.
CREATE TABLE IF NOT EXISTS erasures
(
    app_id UUID,
    kind LowCardinality(String),
    id String,
    bucket DateTime('UTC')
)
ENGINE = {MergeTree}
ORDER BY (app_id, kind, id, bucket)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
