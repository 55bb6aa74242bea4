-- expand
-- Properties that are asked about often are read once and kept beside the text: each app has some columns
-- for those of its own. Which column holds which property is written down below. A value is JSON, `null`
-- where an event has none; it is empty where nobody has looked yet, and then the text says what it is.
ALTER TABLE events
    ADD COLUMN IF NOT EXISTS property_1 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_2 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_3 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_4 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_5 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_6 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_7 String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS property_8 String CODEC(ZSTD(1)),
    ADD INDEX IF NOT EXISTS property_1_unread left(property_1, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_2_unread left(property_2, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_3_unread left(property_3, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_4_unread left(property_4, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_5_unread left(property_5, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_6_unread left(property_6, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_7_unread left(property_7, 1) TYPE minmax,
    ADD INDEX IF NOT EXISTS property_8_unread left(property_8, 1) TYPE minmax;

-- What an app's columns are for. The row with the highest version counts; if two of the same version differ,
-- none does. A path is empty where a column is not in use any more: it is cleared before it is used again.
CREATE TABLE IF NOT EXISTS property_columns
(
    app_id UUID,
    number UInt8,
    version UInt32,
    path Array(String),
    is_free UInt8,
    changed DateTime('UTC')
)
ENGINE = {MergeTree}
ORDER BY (app_id, number, version)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
