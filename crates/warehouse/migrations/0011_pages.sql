-- expand
-- Page views and people by page and by referring site, and visits by the page that they begin and end
-- with. Only `page_view` has them. `dimension` is 'page', 'site', 'entry' or 'exit'.
--
-- A part of a path that is or holds the id of the event's own user or device has '\0' before it, and so
-- has such a site: by then nobody can tell any more, and not everybody may see it. What is over the limit of its
-- app (over_limit: 64 the page, 128 the site) is '\0other'. No app can send either: the collector
-- refuses values with a zero byte.
--
-- Entries and exits are numbers alone, and they are signed: an event that comes late takes one back.
CREATE TABLE IF NOT EXISTS pages_15m
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, Int64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 64, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS pages_15m_view TO pages_15m AS
SELECT
    app_id,
    dimension,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    value,
    toInt64(count()) AS events,
    groupBitmapState(person_no) AS people
FROM
(
    SELECT
        app_id,
        time,
        person_no,
        over_limit,
        if(
            position(url_path, '%') = 0
                AND (user_id = '' OR position(url_path, user_id) = 0)
                AND (device_id = '' OR position(url_path, device_id) = 0),
            url_path,
            arrayStringConcat(arrayMap(
                (part, name) -> if(
                    arrayExists(
                        id -> id != '' AND (id = part OR id = name
                            OR length(id) >= 5 AND (position(part, id) > 0 OR position(name, id) > 0)),
                        [user_id, device_id]),
                    concat('\0', part),
                    part),
                splitByChar('/', url_path),
                arrayMap(
                    part -> decodeURLComponent(
                        replaceAll(replaceAll(extract(part, '^[^?#;]*'), '%40', '@'), '%20', ' ')),
                    splitByChar('/', url_path))), '/')) AS page,
        domainWithoutWWW(JSONExtractString(properties, 'referrer')) AS domain,
        if(
            domain != '' AND (
                domain = user_id OR length(user_id) >= 5 AND position(domain, user_id) > 0
                OR domain = device_id OR length(device_id) >= 5 AND position(domain, device_id) > 0),
            concat('\0', domain),
            domain) AS site
    FROM events
    WHERE event = 'page_view'
)
ARRAY JOIN
    ['page', 'site'] AS dimension,
    [
        if(bitAnd(over_limit, 64) = 0, page, '\0other'),
        if(bitAnd(over_limit, 128) = 0, site, '\0other')
    ] AS value
GROUP BY app_id, dimension, bucket, value;

CREATE TABLE IF NOT EXISTS pages_1h
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, Int64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS pages_1h_view TO pages_1h AS
SELECT
    app_id,
    dimension,
    toStartOfHour(pages_15m.bucket) AS bucket,
    value,
    sum(pages_15m.events) AS events,
    groupBitmapMergeState(pages_15m.people) AS people
FROM pages_15m
GROUP BY app_id, dimension, bucket, value;

CREATE TABLE IF NOT EXISTS pages_1d
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, Int64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS pages_1d_view TO pages_1d AS
SELECT
    app_id,
    dimension,
    toStartOfDay(pages_15m.bucket) AS bucket,
    value,
    sum(pages_15m.events) AS events,
    groupBitmapMergeState(pages_15m.people) AS people
FROM pages_15m
GROUP BY app_id, dimension, bucket, value;

CREATE TABLE IF NOT EXISTS pages_1w
(
    app_id UUID,
    dimension LowCardinality(String),
    bucket DateTime('UTC'),
    value String,
    events SimpleAggregateFunction(sum, Int64),
    people AggregateFunction(groupBitmap, UInt32)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, dimension, bucket, value)
SETTINGS index_granularity = 32, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS pages_1w_view TO pages_1w AS
SELECT
    app_id,
    dimension,
    toDateTime(intDiv(toUnixTimestamp(pages_15m.bucket), 604800) * 604800, 'UTC') AS bucket,
    value,
    sum(pages_15m.events) AS events,
    groupBitmapMergeState(pages_15m.people) AS people
FROM pages_15m
GROUP BY app_id, dimension, bucket, value;

-- The first and the last page view of a device in each quarter of an hour: visits are counted from these, as
-- sessions are from sessions_15m. Each is one number, which is quick to group: how many milliseconds of the
-- quarter had passed, and 44 bits of a hash of its page.
CREATE TABLE IF NOT EXISTS page_visits_15m
(
    app_id UUID,
    bucket DateTime('UTC'),
    device UInt64,
    first SimpleAggregateFunction(min, UInt64),
    last SimpleAggregateFunction(max, UInt64)
)
ENGINE = {AggregatingMergeTree}
PARTITION BY toYYYYMM(bucket)
ORDER BY (app_id, bucket, device)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS page_visits_15m_view TO page_visits_15m AS
SELECT
    app_id,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    device,
    min(view) AS first,
    max(view) AS last
FROM
(
    SELECT
        app_id,
        time,
        device,
        if(bitAnd(over_limit, 64) != 0, '\0other', if(
            position(url_path, '%') = 0
                AND (user_id = '' OR position(url_path, user_id) = 0)
                AND (device_id = '' OR position(url_path, device_id) = 0),
            url_path,
            arrayStringConcat(arrayMap(
                (part, name) -> if(
                    arrayExists(
                        id -> id != '' AND (id = part OR id = name
                            OR length(id) >= 5 AND (position(part, id) > 0 OR position(name, id) > 0)),
                        [user_id, device_id]),
                    concat('\0', part),
                    part),
                splitByChar('/', url_path),
                arrayMap(
                    part -> decodeURLComponent(
                        replaceAll(replaceAll(extract(part, '^[^?#;]*'), '%40', '@'), '%20', ' ')),
                    splitByChar('/', url_path))), '/'))) AS page,
        bitOr(
            bitShiftLeft(toUInt64(toUnixTimestamp64Milli(time) % 900000), 44),
            bitAnd(cityHash64(page), 17592186044415)) AS view
    FROM events
    WHERE event = 'page_view'
)
GROUP BY app_id, bucket, device;
