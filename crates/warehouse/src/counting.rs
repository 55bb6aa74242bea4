//! How every table of counts is made from events: the same statements as the views of the migrations,
//! for counts that have to be rebuilt.

use crate::buckets::{DAY, FOUR_HOURS, HALF_HOUR, HOUR, WEEK};

/// A table and how its rows are made.
pub(crate) struct Count {
    pub table: &'static str,
    columns: &'static str,
    select: &'static str,
}

/// The page of a page view. A part of the path that is or contains the id of the person or device gets a
/// zero byte in front (migration 11).
macro_rules! page {
    () => {
        "if(position(url_path, '%') = 0 \
            AND (user_id = '' OR position(url_path, user_id) = 0) \
            AND (device_id = '' OR position(url_path, device_id) = 0), url_path, \
            arrayStringConcat(arrayMap((part, name) -> if(arrayExists(\
                id -> id != '' AND (id = part OR id = name \
                    OR length(id) >= 5 AND (position(part, id) > 0 OR position(name, id) > 0)), \
                [user_id, device_id]), concat('\\0', part), part), splitByChar('/', url_path), \
                arrayMap(part -> decodeURLComponent(\
                    replaceAll(replaceAll(extract(part, '^[^?#;]*'), '%40', '@'), '%20', ' ')), \
                    splitByChar('/', url_path))), '/'))"
    };
}

/// By the quarter of an hour, from events.
pub(crate) const COUNTS: &[Count] = &[
    Count {
        table: "totals_15m",
        columns: "app_id, bucket, events, page_views, last, people, machines",
        select: "SELECT app_id, toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket, count(), \
            countIf(event = 'page_view'), max(time), \
            groupBitmapState(person_no), groupBitmapState(device_no) \
            FROM {events} GROUP BY app_id, bucket",
    },
    Count {
        table: "events_15m",
        columns: "app_id, bucket, event, events, people",
        select: "SELECT app_id, toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket, \
            if(bitAnd(over_limit, 1) = 0, event, '\\0other') AS name, \
            count(), groupBitmapState(person_no) \
            FROM {events} GROUP BY app_id, bucket, name",
    },
    Count {
        table: "breakdowns_15m",
        columns: "app_id, dimension, bucket, value, events, people",
        select: "SELECT app_id, dimension, toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket, \
            value, count(), groupBitmapState(person_no) FROM {events} \
            ARRAY JOIN ['os', 'browser', 'device_type', 'language'] AS dimension, \
            [if(bitAnd(over_limit, 2) = 0, os, '\\0other'), \
             if(bitAnd(over_limit, 4) = 0, browser, '\\0other'), \
             if(bitAnd(over_limit, 8) = 0, device_type, '\\0other'), \
             if(bitAnd(over_limit, 16) = 0, language, '\\0other')] AS value \
            GROUP BY app_id, dimension, bucket, value",
    },
    Count {
        table: "sessions_15m",
        columns: "app_id, bucket, device, first, last",
        select: "SELECT app_id, toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket, device, \
            min(time), max(time) FROM {events} GROUP BY app_id, bucket, device",
    },
    Count {
        table: "pages_15m",
        columns: "app_id, dimension, bucket, value, events, people",
        select: concat!(
            "SELECT app_id, dimension, toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket, \
            value, toInt64(count()), groupBitmapState(person_no) FROM (SELECT app_id, time, person_no, \
                over_limit, ",
            page!(),
            " AS page, domainWithoutWWW(JSONExtractString(properties, 'referrer')) AS domain, \
                if(domain != '' AND (domain = user_id \
                    OR length(user_id) >= 5 AND position(domain, user_id) > 0 OR domain = device_id \
                    OR length(device_id) >= 5 AND position(domain, device_id) > 0), \
                concat('\\0', domain), domain) AS site FROM {events} WHERE event = 'page_view') \
            ARRAY JOIN ['page', 'site'] AS dimension, \
            [if(bitAnd(over_limit, 64) = 0, page, '\\0other'), \
             if(bitAnd(over_limit, 128) = 0, site, '\\0other')] AS value \
            GROUP BY app_id, dimension, bucket, value"
        ),
    },
    Count {
        table: "page_visits_15m",
        columns: "app_id, bucket, device, first, last",
        select: concat!(
            "SELECT app_id, toStartOfFifteenMinutes(toDateTime(time, 'UTC')) AS bucket, device, \
            min(view), max(view) FROM (SELECT app_id, time, device, \
                if(bitAnd(over_limit, 64) != 0, '\\0other', ",
            page!(),
            ") AS page, bitOr(bitShiftLeft(toUInt64(toUnixTimestamp64Milli(time) % 900000), 44), \
                bitAnd(cityHash64(page), 17592186044415)) AS view \
            FROM {events} WHERE event = 'page_view') GROUP BY app_id, bucket, device"
        ),
    },
];

/// Tables of first and last times, where inserting a row twice changes nothing.
pub(crate) fn is_extent(count: &Count) -> bool {
    matches!(count.table, "sessions_15m" | "page_visits_15m")
}

/// Tables that outlive the events; inserting a row twice changes nothing.
pub(crate) const EXTENTS: &[Count] = &[
    Count {
        table: "devices",
        columns: "app_id, device_id, first_seen, last_seen, no",
        select: "SELECT app_id, device_id, min(time), max(time), max(device_no) FROM {events} \
            GROUP BY app_id, device_id",
    },
    Count {
        table: "users",
        columns: "app_id, user_id, first_seen, last_seen",
        select: "SELECT app_id, user_id, min(time), max(time) FROM {events} WHERE user_id != '' \
            GROUP BY app_id, user_id",
    },
    DEVICE_OWNERS,
];

pub(crate) const DEVICE_OWNERS: Count = Count {
    table: "device_owners",
    columns: "app_id, device_no, hash, first",
    select: "SELECT app_id, device_no, any(xxHash64(concat('d', device_id))), min((time, person_no)) \
        FROM {events} WHERE user_id != '' AND device_no > 0 GROUP BY app_id, device_no",
};

/// The events that `{where}` names, with the numbers of their persons and devices. Those come from
/// the table of numbers: events of earlier versions carry none.
const EVENTS: &str = "(SELECT e.app_id AS app_id, e.time AS time, e.event AS event, \
        e.person AS person, e.device AS device, e.device_id AS device_id, e.user_id AS user_id, \
        e.os AS os, e.browser AS browser, e.device_type AS device_type, e.language AS language, \
        e.url_path AS url_path, e.properties AS properties, e.over_limit AS over_limit, p.no AS person_no, d.no AS device_no \
    FROM (SELECT app_id, time, event, person, device, device_id, user_id, os, browser, device_type, \
            language, url_path, properties, over_limit, xxHash64(concat('d', device_id)) AS device_hash, \
            if(user_id = '', device_hash, xxHash64(concat('u', user_id))) AS person_hash \
        FROM events WHERE {where}) AS e \
    ANY LEFT JOIN {numbers} AS p ON e.person_hash = p.hash \
    ANY LEFT JOIN {numbers} AS d ON e.device_hash = d.hash)";

/// The numbers of the people and devices in these events; the app may have known many more. They may be
/// on any shard, so each is sent the list of hashes.
const NUMBERS: &str = "(SELECT hash, max((fence, i.no)).2 AS no FROM {identities} AS i \
    WHERE app_id = {app:UUID} AND hash GLOBAL IN \
    (SELECT arrayJoin([xxHash64(concat('d', device_id)), xxHash64(concat('u', user_id))]) \
     FROM events WHERE {where}) GROUP BY hash)";

/// The events that `{where}` names, with the numbers that they carry.
const ROWS: &str = "(SELECT app_id, time, event, person, device, device_id, user_id, os, browser, \
    device_type, language, url_path, properties, over_limit, person_no, device_no FROM events WHERE {where})";

impl Count {
    /// Fills the table from the events of an app that meet a condition.
    pub fn fill(&self, events: &str, identities: &str) -> String {
        let rows = EVENTS.replace("{numbers}", NUMBERS).replace("{identities}", identities);
        self.fill_with(&rows.replace("{where}", events))
    }

    /// The same for events that carry the numbers of their persons and devices, of whatever app.
    pub fn fill_from_rows(&self, events: &str) -> String {
        self.fill_with(&ROWS.replace("{where}", events))
    }

    fn fill_with(&self, rows: &str) -> String {
        let select = self.select.replace("{events}", rows);
        format!("INSERT INTO {} ({}) {select}", self.table, self.columns)
    }
}

/// A table of longer buckets.
pub(crate) struct Coarse {
    pub table: &'static str,
    /// In seconds.
    pub length: u32,
    /// What it is made of.
    pub fine: &'static str,
    keys: &'static str,
    values: &'static str,
}

const TOTALS: &str = "groupBitmapMergeState(people), groupBitmapMergeState(machines)";
const PARTS: &str = "sum(events), groupBitmapMergeState(people)";

/// Longer buckets, made from quarters of an hour.
pub(crate) const COARSE: &[Coarse] = &[
    Coarse {
        table: "totals_30m",
        length: HALF_HOUR,
        fine: "totals_15m",
        keys: "app_id, start",
        values: TOTALS,
    },
    Coarse {
        table: "totals_1h",
        length: HOUR,
        fine: "totals_15m",
        keys: "app_id, start",
        values: TOTALS,
    },
    Coarse {
        table: "totals_4h",
        length: FOUR_HOURS,
        fine: "totals_15m",
        keys: "app_id, start",
        values: TOTALS,
    },
    Coarse {
        table: "events_1h",
        length: HOUR,
        fine: "events_15m",
        keys: "app_id, start, event",
        values: PARTS,
    },
    Coarse {
        table: "events_1d",
        length: DAY,
        fine: "events_15m",
        keys: "app_id, start, event",
        values: PARTS,
    },
    Coarse {
        table: "events_1w",
        length: WEEK,
        fine: "events_15m",
        keys: "app_id, start, event",
        values: PARTS,
    },
    Coarse {
        table: "breakdowns_1h",
        length: HOUR,
        fine: "breakdowns_15m",
        keys: "app_id, dimension, start, value",
        values: PARTS,
    },
    Coarse {
        table: "breakdowns_1d",
        length: DAY,
        fine: "breakdowns_15m",
        keys: "app_id, dimension, start, value",
        values: PARTS,
    },
    Coarse {
        table: "breakdowns_1w",
        length: WEEK,
        fine: "breakdowns_15m",
        keys: "app_id, dimension, start, value",
        values: PARTS,
    },
    Coarse {
        table: "pages_1h",
        length: HOUR,
        fine: "pages_15m",
        keys: "app_id, dimension, start, value",
        values: PARTS,
    },
    Coarse {
        table: "pages_1d",
        length: DAY,
        fine: "pages_15m",
        keys: "app_id, dimension, start, value",
        values: PARTS,
    },
    Coarse {
        table: "pages_1w",
        length: WEEK,
        fine: "pages_15m",
        keys: "app_id, dimension, start, value",
        values: PARTS,
    },
];

/// Tables that a migration adds to a store that already has events. Their views count events from then
/// on; earlier events are counted while the system runs (`recount`).
pub(crate) struct Recount {
    pub name: &'static str,
    what: What,
}

enum What {
    /// All tables of buckets of this length.
    Buckets(u32),
    Extent(&'static Count),
    Pages,
}

/// A table that is recounted.
#[derive(Clone, Copy)]
pub(crate) enum Recounted {
    /// Filled from shorter buckets, after being emptied.
    Coarse(&'static Coarse),
    /// Filled from events. Inserting a row twice changes nothing.
    Extent(&'static Count),
    /// Filled by quarter of an hour from events, after being emptied.
    Quarters(&'static Count),
    /// Visits by their first and last pages, once the tables those are derived from are filled.
    Visits,
}

impl Recounted {
    pub fn table(self) -> &'static str {
        match self {
            Self::Coarse(coarse) => coarse.table,
            Self::Extent(count) | Self::Quarters(count) => count.table,
            Self::Visits => "pages_15m",
        }
    }
}

/// The tables of hours, which came with migration 4.
pub(crate) const HOURS: Recount = Recount { name: "hours", what: What::Buckets(HOUR) };
/// The owners of devices, which came with migration 9.
pub(crate) const OWNERS: Recount = Recount { name: "owners", what: What::Extent(&DEVICE_OWNERS) };

/// Pages and referring sites, which came with migration 11.
pub(crate) const PAGES: Recount = Recount { name: "pages", what: What::Pages };

pub(crate) const RECOUNTS: &[Recount] = &[HOURS, OWNERS, PAGES];

fn is_about_pages(table: &str) -> bool {
    table.starts_with("page")
}

impl Recount {
    pub fn tables(&self) -> Vec<Recounted> {
        match self.what {
            What::Buckets(length) => {
                let of_length = COARSE.iter().filter(|coarse| coarse.length == length);
                // Those of pages came later, and are recounted with `PAGES`.
                let of_length = of_length.filter(|coarse| !is_about_pages(coarse.table));
                of_length.map(Recounted::Coarse).collect()
            }
            What::Extent(count) => vec![Recounted::Extent(count)],
            What::Pages => {
                let quarters = COUNTS.iter().filter(|count| is_about_pages(count.table));
                let coarse = COARSE.iter().filter(|coarse| is_about_pages(coarse.table));
                let quarters = quarters.map(Recounted::Quarters).chain([Recounted::Visits]);
                quarters.chain(coarse.map(Recounted::Coarse)).collect()
            }
        }
    }
}

impl Coarse {
    /// Fills the table from the quarters of an hour that meet a condition. Columns match by position.
    pub fn fill(&self, quarters: &str) -> String {
        let Self { table, length, fine, keys, values } = self;
        format!(
            "INSERT INTO {table} SELECT {keys}, {values} FROM (SELECT *, \
             toDateTime(intDiv(toUnixTimestamp(bucket), {length}) * {length}, 'UTC') AS start \
             FROM {fine} WHERE {quarters}) GROUP BY {keys}"
        )
    }

    /// Whether it counts events, besides sets of people.
    pub fn counts_events(&self) -> bool {
        self.values == PARTS
    }

    /// Adds the people of events that carry their numbers, to a table that holds only sets of people.
    pub fn fill_from_rows(&self, events: &str) -> String {
        let Self { table, length, .. } = self;
        format!(
            "INSERT INTO {table} SELECT app_id, \
             toDateTime(intDiv(toUnixTimestamp(toDateTime(time, 'UTC')), {length}) * {length}, 'UTC') AS start, \
             groupBitmapState(person_no), groupBitmapState(device_no) \
             FROM events WHERE {events} GROUP BY app_id, start"
        )
    }

    /// The buckets that these quarters of an hour lie in, by their start.
    pub fn buckets(&self, quarters: &[u64]) -> Vec<u64> {
        let length = u64::from(self.length);
        let mut buckets: Vec<u64> = quarters.iter().map(|at| at / length * length).collect();
        // Sorted, because callers take the range to read from the first and the last.
        buckets.sort_unstable();
        buckets.dedup();
        buckets
    }
}
