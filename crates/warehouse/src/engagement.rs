//! How many people are active in a day, a week and a month, and how many new people come back.
//!
//! Days are given by the moments they start at: time zones are not known here.

use serde::Deserialize;
use uuid::Uuid;

use crate::client::Warehouse;
use crate::error::Error;
use crate::identities::USER_HASH;
use crate::owners::Whose;
use crate::params::Param;
use crate::statement::within_hours;

const FROM: &str = "toDateTime({from:UInt32}, 'UTC')";
const TO: &str = "toDateTime({to:UInt32}, 'UTC')";

/// Consecutive days: the Unix time at which each starts, and at which the last one ends.
#[derive(Clone, Debug)]
pub struct Days {
    pub starts: Vec<u64>,
    pub end: u64,
}

impl Days {
    fn params(&self, app: Uuid) -> Vec<(&'static str, Param)> {
        vec![
            ("app", app.into()),
            ("starts", self.starts.clone().into()),
            ("from", self.starts.first().copied().unwrap_or(self.end).into()),
            ("to", self.end.into()),
        ]
    }
}

/// Distinct people of a day, by the day's index among those asked for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Activity {
    pub day: usize,
    pub dau: u64,
    /// Of the seven days that end with it.
    pub wau: u64,
    /// Of the thirty days that end with it.
    pub mau: u64,
}

/// The people who were new on a day, and how many of them came back exactly this many days later.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Cohort {
    pub day: usize,
    pub size: u64,
    pub day1: u64,
    pub day7: u64,
    pub day30: u64,
}

/// The index of the day that contains a Unix time.
fn day_of(moment: &str) -> String {
    let starts = "{starts:Array(UInt32)}";
    format!("transform(roundDown({moment}, {starts}), {starts}, range(length({starts})))")
}

impl Warehouse {
    /// Days with no activity in the preceding month are absent. The first 29 days only count toward
    /// later ones.
    pub async fn activity(&self, app: Uuid, days: &Days) -> Result<Vec<Activity>, Error> {
        let numbers = format!(
            "(SELECT {} AS active, arrayJoin(bitmapToArray(groupBitmapMergeState(people))) AS person_no \
             FROM totals_15m WHERE app_id = {{app:UUID}} AND bucket >= toDateTime({{from:UInt32}}, 'UTC') \
             AND bucket < toDateTime({{to:UInt32}}, 'UTC') GROUP BY active)",
            day_of("toUnixTimestamp(bucket)")
        );
        let sql = format!(
            "SELECT active + back AS day, groupBitmapMergeIf(state, back = 0) AS dau, \
                groupBitmapMergeIf(state, back < 7) AS wau, groupBitmapMerge(state) AS mau \
             FROM (SELECT active, groupBitmapState(person) AS state FROM {} GROUP BY active) \
             ARRAY JOIN range(30) AS back \
             WHERE day >= 29 AND day < length({{starts:Array(UInt32)}}) GROUP BY day ORDER BY day",
            self.whose().of("{app:UUID}", "active", &numbers)
        );
        self.query(&sql, &days.params(app)).await
    }

    /// Cohorts of the first `count` days. People are new on the day of their first event ever.
    pub async fn cohorts(
        &self,
        app: Uuid,
        days: &Days,
        count: usize,
    ) -> Result<Vec<Cohort>, Error> {
        let whose = self.whose();
        // One server joins what all shards send: they send each person once a day instead of each event.
        let distinct = if self.is_cluster() { "DISTINCT " } else { "" };
        let active = whose.events(
            "{app:UUID}",
            &format!("{} AS day", day_of("toUnixTimestamp(time)")),
            &format!(
                "app_id = {{app:UUID}} AND time >= {FROM} AND time < {TO} AND {}",
                within_hours(FROM, TO)
            ),
        );
        let sql = format!(
            "SELECT born AS day, count() AS size, countIf(has(ages, 1)) AS day1, \
                countIf(has(ages, 7)) AS day7, countIf(has(ages, 30)) AS day30 \
             FROM (SELECT person, any(new.born) AS born, groupUniqArray(active.day - new.born) AS ages \
                FROM (SELECT {distinct}person, day FROM {active}) AS active \
                INNER JOIN ({}) AS new USING (person) \
                WHERE active.day - new.born IN (0, 1, 7, 30) GROUP BY person) \
             WHERE has(ages, 0) GROUP BY born ORDER BY born",
            newcomers(whose)
        );
        let mut params = days.params(app);
        let until = days.starts.get(count).copied().unwrap_or(days.end);
        params.push(("until", until.into()));
        self.query(&sql, &params).await
    }
}

/// The people first seen on one of the days before `until`, with that day. Events of a device before
/// anyone was signed in on it belong to its owner, so the owner was first seen when the device was.
fn newcomers(whose: Whose) -> String {
    let devices = "(SELECT no AS person_no, min(first_seen) AS seen FROM devices \
                   WHERE app_id = {app:UUID} AND no > 0 GROUP BY no)";
    let devices = whose.of("{app:UUID}", "seen", devices);
    format!(
        "SELECT person, {} AS born FROM (SELECT person, min(seen) AS seen FROM (\
             SELECT person, seen FROM {devices} UNION ALL SELECT no AS person, seen FROM (\
                 SELECT {USER_HASH} AS hash, min(first_seen) AS seen FROM users \
                 WHERE app_id = {{app:UUID}} GROUP BY hash) AS u \
             ANY INNER JOIN (SELECT hash, max((fence, i.no)).2 AS no FROM identities AS i \
                 WHERE app_id = {{app:UUID}} GROUP BY hash) AS numbers USING (hash)) \
             GROUP BY person) \
         WHERE seen >= toDateTime({{from:UInt32}}, 'UTC') AND seen < toDateTime({{until:UInt32}}, 'UTC')",
        day_of("toUnixTimestamp(seen)"),
    )
}
