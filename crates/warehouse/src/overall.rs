//! What the dashboard asks: figures of many apps over a range that begins and ends at a quarter of an
//! hour. Persons and devices are counted once per app, exactly, as bitmaps of their numbers. Nothing
//! here knows of time zones: where buckets begin is told as moments.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::catalogue::EventCount;
use crate::client::{Call, Warehouse};
use crate::error::Error;
use crate::identities::literals;
use crate::pieces::{condition, pieces};

const QUARTER: u32 = 900;
const HALF_HOUR: u32 = 1_800;
const FOUR_HOURS: u32 = 14_400;
const DAY: u32 = 86_400;
const WEEK: u32 = 7 * DAY;

const BREAKDOWNS: [(&str, u32); 4] = [
    ("breakdowns_1w", WEEK),
    ("breakdowns_1d", DAY),
    ("breakdowns_4h", FOUR_HOURS),
    ("breakdowns_15m", QUARTER),
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub events: u64,
    pub page_views: u64,
    pub persons: u64,
    pub devices: u64,
}

/// Counts of a range: per app as a whole, and per bucket, by its start in milliseconds, as sums over
/// the apps. What has no events is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overall {
    pub apps: HashMap<Uuid, Counts>,
    pub buckets: BTreeMap<i64, Counts>,
}

/// How often something began: per app, and per bucket, by its start in milliseconds. What is nothing
/// is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beginnings {
    pub apps: HashMap<Uuid, u64>,
    pub buckets: BTreeMap<i64, u64>,
}

/// How often a value occurred, and with how many people.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Share {
    pub dimension: String,
    pub value: String,
    /// All values together that are not listed.
    pub is_rest: bool,
    pub events: u64,
    pub persons: u64,
}

/// One row: (app, first, second) for each app; and by bucket the starts, and the two sums.
#[derive(Deserialize)]
struct Pair {
    apps: Vec<(Uuid, u64, u64)>,
    buckets: (Vec<u32>, Vec<u64>, Vec<u64>),
}

impl Warehouse {
    /// Counts of the buckets that begin at the cuts; the last cut ends the last one.
    pub async fn overall(&self, apps: &[Uuid], cuts_ms: &[i64]) -> Result<Overall, Error> {
        let Some(range) = Range::new(apps, cuts_ms) else { return Ok(Overall::default()) };
        let (sums, people) = (range.sums(), range.people());
        let (sums, people) = tokio::try_join!(self.ask::<Pair>(&sums), self.ask::<Pair>(&people))?;
        let mut overall = Overall::default();
        for (pairs, of_people) in [(sums, false), (people, true)] {
            for Pair { apps, buckets: (starts, first, second) } in pairs {
                let by_app = apps.into_iter().map(|(app, a, b)| (Key::App(app), (a, b)));
                let starts = starts.into_iter().map(|start| Key::Bucket(i64::from(start) * 1_000));
                let by_bucket = starts.zip(first.into_iter().zip(second));
                for (key, (first, second)) in by_app.chain(by_bucket) {
                    let counts = match key {
                        Key::App(app) => overall.apps.entry(app).or_default(),
                        Key::Bucket(start) => overall.buckets.entry(start).or_default(),
                    };
                    match of_people {
                        false => (counts.events, counts.page_views) = (first, second),
                        true => (counts.persons, counts.devices) = (first, second),
                    }
                }
            }
        }
        Ok(overall)
    }

    /// How many sessions each app had: runs of one device's events within the range, with no gap over
    /// half an hour. A session belongs to the bucket that it begins in.
    pub async fn sessions(&self, apps: &[Uuid], cuts_ms: &[i64]) -> Result<Beginnings, Error> {
        let Some(range) = Range::new(apps, cuts_ms) else { return Ok(Beginnings::default()) };
        self.beginnings(&range.sessions()).await
    }

    /// How many devices of each app had their first event ever within the range, and in which bucket.
    pub async fn new_devices(&self, apps: &[Uuid], cuts_ms: &[i64]) -> Result<Beginnings, Error> {
        let Some(range) = Range::new(apps, cuts_ms) else { return Ok(Beginnings::default()) };
        self.beginnings(&range.new_devices()).await
    }

    /// The events that happened most, and how many persons did each.
    pub async fn top_events(
        &self,
        apps: &[Uuid],
        from_ms: i64,
        to_ms: i64,
        most: usize,
    ) -> Result<Vec<EventCount>, Error> {
        let Some(range) = Range::new(apps, &[from_ms, to_ms]) else { return Ok(Vec::new()) };
        self.ask(&range.top_events(most)).await
    }

    /// The most frequent values of each dimension, and then what the others come to.
    pub async fn breakdowns(
        &self,
        apps: &[Uuid],
        from_ms: i64,
        to_ms: i64,
        most: usize,
    ) -> Result<Vec<Share>, Error> {
        let Some(range) = Range::new(apps, &[from_ms, to_ms]) else { return Ok(Vec::new()) };
        let mut found: Vec<Share> = self.ask(&range.breakdowns(most + 1)).await?;
        // One more than wanted says that there is a rest.
        let (mut longer, mut place) = (Vec::new(), 0);
        let mut dimension = String::new();
        found.retain(|share| {
            place = if share.dimension == dimension { place + 1 } else { 0 };
            dimension.clone_from(&share.dimension);
            if place == most {
                longer.push(share.dimension.clone());
            }
            place < most
        });
        if !longer.is_empty() {
            found.extend(self.ask::<Share>(&range.rest(&longer, most)).await?);
            // Stable: what was most frequent stays first.
            found.sort_by(|a, b| (&a.dimension, a.is_rest).cmp(&(&b.dimension, b.is_rest)));
        }
        Ok(found)
    }

    /// Sums per app and per bucket of rows that have an app, a cut and a count.
    async fn beginnings(&self, rows: &str) -> Result<Beginnings, Error> {
        #[derive(Deserialize)]
        struct Row {
            is_bucket: u8,
            app_id: Uuid,
            cut: u32,
            count: u64,
        }
        let sql = format!(
            "SELECT toUInt8(grouping(app_id)) AS is_bucket, app_id, cut, sum(n) AS count \
             FROM ({rows}) GROUP BY GROUPING SETS ((app_id), (cut))"
        );
        let mut beginnings = Beginnings::default();
        for row in self.ask::<Row>(&sql).await?.into_iter().filter(|row| row.count > 0) {
            if row.is_bucket > 0 {
                beginnings.buckets.insert(i64::from(row.cut) * 1_000, row.count);
            } else {
                beginnings.apps.insert(row.app_id, row.count);
            }
        }
        Ok(beginnings)
    }

    /// These statements name many apps and many moments, all of them numbers of ours.
    async fn ask<T: DeserializeOwned>(&self, sql: &str) -> Result<Vec<T>, Error> {
        let sql = format!("{sql}\nFORMAT JSONEachRow");
        // A dashboard asks several at once: each on its own thread is less work than all on all.
        let call = Call::new(&sql, &[], self.limit()).long().set("max_threads", 1);
        self.rows(call.reading()).await
    }
}

enum Key {
    App(Uuid),
    Bucket(i64),
}

/// The statements about a range.
struct Range {
    apps: String,
    cuts: Vec<u32>,
    from: u32,
    to: u32,
}

impl Range {
    /// None where nothing can be counted. Cuts are moved back to a quarter of an hour.
    fn new(apps: &[Uuid], cuts_ms: &[i64]) -> Option<Self> {
        let seconds =
            |at: &i64| u32::try_from(at.div_euclid(1_000)).unwrap_or(0) / QUARTER * QUARTER;
        let cuts: Vec<u32> = cuts_ms.iter().map(seconds).collect();
        let (from, to) = (*cuts.first()?, *cuts.last()?);
        if apps.is_empty() || from >= to {
            return None;
        }
        Some(Self { apps: literals(apps.iter().copied()), cuts, from, to })
    }

    /// Rows of a table that is kept by the quarter of an hour.
    fn within(&self) -> String {
        let Self { apps, from, to, .. } = self;
        format!("app_id IN ({apps}) AND bucket >= {from} AND bucket < {to}")
    }

    /// The start of the bucket that a moment in the range belongs to.
    fn cut(&self, moment: &str) -> String {
        let starts: Vec<_> = self.cuts.iter().map(ToString::to_string).collect();
        format!("roundDown({moment}, [{}])", starts.join(", "))
    }

    /// Rows of the tables whose pieces make up the range, none across a cut.
    fn rows<const N: usize>(&self, columns: &str, tables: [(&str, u32); N]) -> String {
        let runs = pieces(&self.cuts, tables.map(|(_, length)| length));
        let mut sql = String::new();
        for ((table, length), runs) in tables.iter().zip(&runs) {
            let Some(condition) = condition(runs, *length) else { continue };
            let and = if sql.is_empty() { "" } else { " UNION ALL " };
            let apps = &self.apps;
            let _ = write!(
                sql,
                "{and}SELECT {columns} FROM {table} WHERE app_id IN ({apps}) AND {condition}"
            );
        }
        sql
    }

    fn sums(&self) -> String {
        format!(
            "SELECT groupArray((app_id, first, second)) AS apps, \
                 sumMap(cuts, firsts, seconds) AS buckets \
             FROM (SELECT app_id, sum(e) AS first, sum(v) AS second, groupArray(cut) AS cuts, \
                     groupArray(e) AS firsts, groupArray(v) AS seconds \
                 FROM (SELECT app_id, {} AS cut, sum(events) AS e, sum(page_views) AS v \
                     FROM totals_15m WHERE {} GROUP BY app_id, cut) \
                 GROUP BY app_id)",
            self.cut("toUnixTimestamp(bucket)"),
            self.within()
        )
    }

    fn people(&self) -> String {
        let tables =
            [("totals_4h", FOUR_HOURS), ("totals_30m", HALF_HOUR), ("totals_15m", QUARTER)];
        format!(
            "SELECT groupArray((app_id, first, second)) AS apps, \
                 sumMap(cuts, firsts, seconds) AS buckets \
             FROM (SELECT app_id, groupBitmapMerge(p) AS first, groupBitmapMerge(m) AS second, \
                     groupArray(cut) AS cuts, groupArray(bitmapCardinality(p)) AS firsts, \
                     groupArray(bitmapCardinality(m)) AS seconds \
                 FROM (SELECT app_id, {} AS cut, groupBitmapMergeState(people) AS p, \
                         groupBitmapMergeState(machines) AS m \
                     FROM ({}) GROUP BY app_id, cut) \
                 GROUP BY app_id)",
            self.cut("toUnixTimestamp(bucket)"),
            self.rows("app_id, bucket, people, machines", tables)
        )
    }

    /// Those that began in the range, and those that were under way: a device's last moment before
    /// it and the first one in it lie at most half an hour apart.
    fn sessions(&self) -> String {
        let Self { apps, from, to, .. } = self;
        let (before, after) = (from.saturating_sub(HALF_HOUR), (*to).min(from + HALF_HOUR));
        format!(
            "SELECT app_id, {} AS cut, toUInt64(starts) AS n FROM session_starts FINAL WHERE {} \
             UNION ALL \
             SELECT app_id, {} AS cut, toUInt64(1) AS n \
             FROM (SELECT app_id, maxIf(toUnixTimestamp64Milli(last), bucket < {from}) AS a, \
                     minIf(toUnixTimestamp64Milli(first), bucket >= {from}) AS b \
                 FROM sessions_15m WHERE app_id IN ({apps}) \
                     AND bucket >= {before} AND bucket < {after} \
                 GROUP BY app_id, device) \
             WHERE a > 0 AND b > 0 AND b - a <= 1800000",
            self.cut("toUnixTimestamp(bucket)"),
            self.within(),
            self.cut("toUInt32(intDiv(b, 1000))"),
        )
    }

    /// Rows of a device are not all joined at any moment, and the earliest of them counts. So those
    /// seen up to the end of a bucket are joined with all before, and what that adds is new.
    fn new_devices(&self) -> String {
        let Self { apps, from, to, .. } = self;
        let starts: Vec<_> = self.cuts.iter().map(ToString::to_string).collect();
        format!(
            "SELECT app_id, cut, upto - lagInFrame(upto) OVER (PARTITION BY app_id ORDER BY cut \
                 ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS n \
             FROM (SELECT app_id, cut, groupBitmapMerge(seen) OVER (PARTITION BY app_id ORDER BY cut \
                     ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS upto \
                 FROM (SELECT app_id, \
                         roundDown(toUnixTimestamp(first_seen), [toUInt32(0), {}]) AS cut, \
                         groupBitmapState(no) AS seen \
                     FROM devices WHERE app_id IN ({apps}) AND no > 0 \
                         AND first_seen < toDateTime({to}, 'UTC') \
                     GROUP BY app_id, cut)) \
             QUALIFY cut >= {from}",
            starts.join(", ")
        )
    }

    fn top_events(&self, most: usize) -> String {
        let tables = [
            ("events_1w", WEEK),
            ("events_1d", DAY),
            ("events_4h", FOUR_HOURS),
            ("events_15m", QUARTER),
        ];
        format!(
            "SELECT event, sum(e) AS events, sum(p) AS persons \
             FROM (SELECT app_id, event, sum(events) AS e, groupBitmapMerge(people) AS p \
                 FROM ({}) GROUP BY app_id, event) \
             GROUP BY event ORDER BY events DESC, event LIMIT {most}",
            self.rows("app_id, event, events, people", tables)
        )
    }

    /// The most frequent values of each dimension.
    fn breakdowns(&self, most: usize) -> String {
        format!(
            "SELECT dimension, value, toBool(0) AS is_rest, sum(e) AS events, sum(p) AS persons \
             FROM (SELECT app_id, dimension, value, sum(events) AS e, groupBitmapMerge(people) AS p \
                 FROM ({}) GROUP BY app_id, dimension, value) \
             GROUP BY dimension, value ORDER BY dimension, events DESC, value \
             LIMIT {most} BY dimension",
            self.rows("app_id, dimension, value, events, people", BREAKDOWNS)
        )
    }

    /// What these dimensions come to without their most frequent values.
    fn rest(&self, dimensions: &[String], most: usize) -> String {
        // Names of ours, and nobody else's.
        let dimensions: Vec<String> = dimensions.iter().map(|name| format!("'{name}'")).collect();
        let dimensions = dimensions.join(", ");
        format!(
            "SELECT dimension, '' AS value, toBool(1) AS is_rest, sum(e) AS events, \
                 sum(p) AS persons \
             FROM (SELECT app_id, dimension, sum(events) AS e, groupBitmapMerge(people) AS p \
                 FROM ({}) WHERE dimension IN ({dimensions}) AND (dimension, value) NOT IN (\
                     SELECT dimension, value FROM ({}) WHERE dimension IN ({dimensions}) \
                     GROUP BY dimension, value ORDER BY sum(events) DESC, value \
                     LIMIT {most} BY dimension) \
                 GROUP BY app_id, dimension) \
             GROUP BY dimension",
            self.rows("app_id, dimension, value, events, people", BREAKDOWNS),
            self.rows("dimension, value, events", BREAKDOWNS)
        )
    }
}
