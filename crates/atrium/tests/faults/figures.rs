//! Every count that the store keeps, compared with plain counting of the events.

use serde_json::Value;
use warehouse::Warehouse;

const PERSON: &str = "if(user_id = '', concat('d ', device_id), concat('u ', user_id))";
const BREAKDOWNS: &str = "FROM events ARRAY JOIN ['os', 'browser', 'device_type', 'language'] AS dimension, \
    [os, browser, device_type, language] AS value";

/// Both statements must give the same rows; shows some of the rows that differ.
async fn same(store: &Warehouse, what: &str, kept: &str, plain: &str) {
    let sql = format!(
        "SELECT * FROM ({kept} UNION ALL {plain}) GROUP BY ALL HAVING count() != 2 LIMIT 5"
    );
    let rows: Vec<Value> = store.query(&sql, &[]).await.unwrap();
    assert!(rows.is_empty(), "{what} differs from a plain count: {rows:?}");
}

/// SQL for the start of an event's bucket of this many seconds.
fn start(length: u32) -> String {
    format!("intDiv(toUnixTimestamp(toDateTime(time, 'UTC')), {length}) * {length}")
}

pub async fn equal_plain_counts(store: &Warehouse) {
    for (table, length) in [("15m", 900), ("30m", 1_800), ("1h", 3_600), ("4h", 14_400)] {
        let start = start(length);
        let (kept, plain) = match length {
            900 => ("sum(events)", "count()"),
            _ => ("0", "0"),
        };
        let kept = format!(
            "SELECT app_id, toUInt64(toUnixTimestamp(bucket)) AS at, toUInt64({kept}) AS n, \
             groupBitmapMerge(people) AS p, groupBitmapMerge(machines) AS m \
             FROM totals_{table} GROUP BY app_id, at"
        );
        let plain = format!(
            "SELECT app_id, toUInt64({start}) AS at, toUInt64({plain}) AS n, uniqExact({PERSON}) AS p, \
             uniqExact(device_id) AS m FROM events GROUP BY app_id, at"
        );
        same(store, &format!("totals_{table}"), &kept, &plain).await;
    }
    for (table, length) in [("15m", 900), ("1h", 3_600), ("1d", 86_400), ("1w", 604_800)] {
        let start = start(length);
        for (name, value, events) in [
            ("events", "toString(event)", "FROM events"),
            ("breakdowns", "concat(dimension, ' ', value)", BREAKDOWNS),
        ] {
            let kept = format!(
                "SELECT app_id, toUInt64(toUnixTimestamp(bucket)) AS at, {value} AS what, \
                 toUInt64(sum(events)) AS n, groupBitmapMerge(people) AS p \
                 FROM {name}_{table} GROUP BY app_id, at, what"
            );
            let plain = format!(
                "SELECT app_id, toUInt64({start}) AS at, {value} AS what, toUInt64(count()) AS n, \
                 uniqExact({PERSON}) AS p {events} GROUP BY app_id, at, what"
            );
            same(store, &format!("{name}_{table}"), &kept, &plain).await;
        }
    }
    for (table, length) in [("15m", 900), ("1h", 3_600), ("1d", 86_400), ("1w", 604_800)] {
        let start = start(length);
        let kept = format!(
            "SELECT app_id, toUInt64(toUnixTimestamp(bucket)) AS at, value AS what, \
             toInt64(sum(events)) AS n, groupBitmapMerge(people) AS p \
             FROM pages_{table} WHERE dimension = 'page' GROUP BY app_id, at, what"
        );
        let plain = format!(
            "SELECT app_id, toUInt64({start}) AS at, url_path AS what, toInt64(count()) AS n, \
             uniqExact({PERSON}) AS p FROM events WHERE event = 'page_view' GROUP BY app_id, at, what"
        );
        same(store, &format!("pages_{table}"), &kept, &plain).await;
    }
    // Visits: a device's page views with gaps of half an hour at most, counted by their first and last page.
    for side in ["entry", "exit"] {
        let kept = format!(
            "SELECT app_id, toInt64(sum(events)) AS n FROM pages_15m WHERE dimension = '{side}' \
             GROUP BY app_id HAVING n != 0"
        );
        let plain = "SELECT app_id, toInt64(sum(begun)) AS n FROM (SELECT app_id, \
            1 + arrayCount(gap -> gap > 1800000, arrayDifference(arraySort(groupArray( \
                toUnixTimestamp64Milli(time))))) AS begun FROM events WHERE event = 'page_view' \
                GROUP BY app_id, device_id) GROUP BY app_id";
        same(store, &format!("visits by {side}"), &kept, plain).await;
    }
    let kept =
        "SELECT app_id, toUInt64(sum(starts)) AS n FROM session_starts FINAL GROUP BY app_id";
    let plain = "SELECT app_id, toUInt64(sum(begun)) AS n FROM (SELECT app_id, \
        1 + arrayCount(gap -> gap > 1800000, arrayDifference(arraySort(groupArray( \
            toUnixTimestamp64Milli(time))))) AS begun FROM events GROUP BY app_id, device_id) GROUP BY app_id";
    same(store, "session_starts", kept, plain).await;
    for (table, who, which) in
        [("devices", "device_id", "1"), ("users", "user_id", "user_id != ''")]
    {
        let kept = format!(
            "SELECT app_id, {who}, min(first_seen) AS a, max(last_seen) AS b FROM {table} \
             GROUP BY app_id, {who}"
        );
        let plain = format!(
            "SELECT app_id, {who}, min(time) AS a, max(time) AS b FROM events WHERE {which} \
             GROUP BY app_id, {who}"
        );
        same(store, table, &kept, &plain).await;
    }
}
