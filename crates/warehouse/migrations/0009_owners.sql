-- expand
-- Whose a device is: the first user, by the time of the event, who was ever signed in on it. What it
-- sends without a user is theirs. Kept when events are not; by the hash of its id a device is found on
-- its shard.
CREATE TABLE IF NOT EXISTS device_owners
(
    app_id UUID,
    device_no UInt32,
    hash SimpleAggregateFunction(any, UInt64),
    first SimpleAggregateFunction(min, Tuple(DateTime64(3, 'UTC'), UInt32))
)
ENGINE = {AggregatingMergeTree}
ORDER BY (app_id, device_no)
SETTINGS index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1,
    non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS device_owners_view TO device_owners AS
SELECT
    app_id,
    device_no,
    any(xxHash64(concat('d', device_id))) AS hash,
    min((time, person_no)) AS first
FROM events
WHERE user_id != '' AND device_no > 0
GROUP BY app_id, device_no;
