-- Which values of a row went over the limits of its app: 1 the event, 2 os, 4 browser, 8 device_type,
-- 16 language, 32 a name in its properties. Such a value has no count of its own: it is counted as
-- '\0other', which no app can send, because the collector refuses values with a zero byte.
ALTER TABLE events ADD COLUMN IF NOT EXISTS over_limit UInt8 CODEC(ZSTD(1));

ALTER TABLE events_15m_view MODIFY QUERY
SELECT
    app_id,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    if(bitAnd(row.over_limit, 1) = 0, row.event, '\0other') AS event,
    count() AS events,
    groupBitmapState(person_no) AS people
FROM events AS row
GROUP BY app_id, bucket, event;

ALTER TABLE breakdowns_15m_view MODIFY QUERY
SELECT
    app_id,
    dimension,
    toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket,
    value,
    count() AS events,
    groupBitmapState(person_no) AS people
FROM events
ARRAY JOIN
    ['os', 'browser', 'device_type', 'language'] AS dimension,
    [
        if(bitAnd(over_limit, 2) = 0, os, '\0other'),
        if(bitAnd(over_limit, 4) = 0, browser, '\0other'),
        if(bitAnd(over_limit, 8) = 0, device_type, '\0other'),
        if(bitAnd(over_limit, 16) = 0, language, '\0other')
    ] AS value
GROUP BY app_id, dimension, bucket, value;
