//! The ledger: every message that arrived ends up in one counter. Counts travel through the spool with
//! the messages they count, and are booked once per batch, in the metadata database.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use uuid::Uuid;

use super::cardinality::{Limit, store as over_limits};
use super::message::{Label, MessageType};
use super::reason::Reason;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

pub const ACCEPTED: &str = "accepted";
pub const DUPLICATE: &str = "duplicate";
/// Maximum lines of one app in a tally, and of SDK versions of one app per day in the ledger.
const LINES_MAX: usize = 100;
const VERSIONS_MAX: usize = 50;
const OTHER: &str = "other";
/// The kind of a line that is about a limit.
const REMARK: &str = "over_limit";

/// What happened to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Accepted,
    Duplicate,
    Rejected(Reason),
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Self::Accepted => ACCEPTED,
            Self::Duplicate => DUPLICATE,
            Self::Rejected(reason) => reason.as_str(),
        }
    }
}

#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    app: Uuid,
    day: i32,
    kind: Cow<'static, str>,
    outcome: Cow<'static, str>,
    sdk_version: String,
}

impl Line {
    /// The limit it is about, if it is not a counter.
    fn limit(&self) -> Option<Limit> {
        if self.kind == REMARK { Limit::parse(&self.outcome) } else { None }
    }
}

/// Counts that are not booked yet. Negative ones take back what was counted too early.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Tally(Vec<(Line, i64)>);

impl Tally {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn add(&mut self, app: Uuid, day: i32, label: &Label, outcome: Outcome, count: i64) {
        let outcome = outcome.name();
        let kind = label.kind.as_str();
        let version = self.version(app, &label.sdk_version);
        let known = self.0.iter_mut().find(|(line, _)| {
            line.app == app
                && line.day == day
                && line.kind == kind
                && line.outcome == outcome
                && line.sdk_version == version
        });
        match known {
            Some((_, sum)) => *sum += count,
            None => {
                let line = Line {
                    app,
                    day,
                    kind: kind.into(),
                    outcome: outcome.into(),
                    sdk_version: version,
                };
                self.0.push((line, count));
            }
        }
    }

    /// Strangers choose versions, and each takes a line: beyond a few they are counted together.
    fn version(&self, app: Uuid, version: &str) -> String {
        let of_app = || self.0.iter().filter(|(line, _)| line.app == app);
        let known = of_app().any(|(line, _)| line.sdk_version == version);
        let room = known || of_app().count() < LINES_MAX;
        if room { version } else { OTHER }.to_owned()
    }

    /// The counts per outcome, without the remarks about limits.
    pub fn outcomes(&self) -> impl Iterator<Item = (&str, i64)> {
        let counters = self.0.iter().filter(|(line, _)| line.kind != REMARK);
        counters.map(|(line, count)| (line.outcome.as_ref(), *count))
    }

    /// Moves a message that was counted as accepted to the outcome that the loader found.
    pub fn move_from_accepted(
        &mut self,
        app: Uuid,
        day: i32,
        kind: MessageType,
        sdk_version: &str,
        outcome: Outcome,
    ) {
        let label = Label { kind, sdk_version: sdk_version.to_owned() };
        self.add(app, day, &label, Outcome::Accepted, -1);
        self.add(app, day, &label, outcome, 1);
    }

    /// The same counts, with everything accepted turned into rejections.
    pub fn with_accepted_as(mut self, reason: Reason) -> Self {
        for (line, _) in self.0.iter_mut().filter(|(line, _)| line.outcome == ACCEPTED) {
            line.outcome = reason.as_str().into();
        }
        Self::combine([self])
    }

    /// Splits the counts by app.
    pub fn by_app(self) -> BTreeMap<Uuid, Self> {
        let mut apps = BTreeMap::<Uuid, Self>::new();
        for (line, count) in self.0 {
            apps.entry(line.app).or_default().0.push((line, count));
        }
        apps
    }

    /// Notes an event with values over its app's limits. It stays accepted: remarks are kept beside the
    /// counters and are in none of their sums.
    pub fn remark(&mut self, app: Uuid, day: i32, over_limit: u8) {
        for limit in Limit::ALL.into_iter().filter(|limit| limit.bits() & over_limit != 0) {
            let is_same =
                |line: &Line| line.app == app && line.day == day && line.limit() == Some(limit);
            if let Some((_, sum)) = self.0.iter_mut().find(|(line, _)| is_same(line)) {
                *sum += 1;
                continue;
            }
            let line = Line {
                app,
                day,
                kind: REMARK.into(),
                outcome: limit.as_str().into(),
                sdk_version: String::new(),
            };
            self.0.push((line, 1));
        }
    }

    /// Merges several tallies, summing equal lines.
    pub fn combine(tallies: impl IntoIterator<Item = Tally>) -> Self {
        let mut sums = BTreeMap::<Line, i64>::new();
        for (line, count) in tallies.into_iter().flat_map(|tally| tally.0) {
            *sums.entry(line).or_default() += count;
        }
        let mut lines = BTreeMap::<Line, i64>::new();
        let (mut app, mut taken) = (Uuid::nil(), 0);
        for (mut line, count) in sums.into_iter().filter(|(_, count)| *count != 0) {
            // The lines are sorted by app.
            if line.app != app {
                (app, taken) = (line.app, 0);
            }
            taken += 1;
            if taken > LINES_MAX && line.limit().is_none() {
                OTHER.clone_into(&mut line.sdk_version);
            }
            *lines.entry(line).or_default() += count;
        }
        Self(lines.into_iter().collect())
    }
}

/// Whether a batch's counts are booked.
pub async fn is_booked(db: &mut AnyConnection, batch: &str) -> Result<bool> {
    let found: Option<i64> = sqlx::query_scalar("SELECT 1 FROM ingest_batches WHERE batch = $1")
        .bind(batch)
        .fetch_optional(db)
        .await?;
    Ok(found.is_some())
}

/// Books a batch's counts once: if it was booked before, nothing is booked again.
pub async fn book(db: &mut AnyConnection, batch: &str, tally: &Tally, now: Millis) -> Result<bool> {
    let first = sqlx::query(
        "INSERT INTO ingest_batches (batch, booked_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
    )
    .bind(batch)
    .bind(now)
    .execute(&mut *db)
    .await?;
    if first.rows_affected() == 0 {
        return Ok(false);
    }
    let mut known = BTreeMap::<(Uuid, i32), BTreeSet<String>>::new();
    for (line, count) in &tally.0 {
        let app = line.app.hyphenated().to_string();
        let day = day_text(line.day);
        if let Some(limit) = line.limit() {
            over_limits::book(db, &app, &day, limit, *count).await?;
            continue;
        }
        let versions = match known.entry((line.app, line.day)) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(empty) => empty.insert(versions(db, &app, &day).await?),
        };
        let room = versions.contains(&line.sdk_version) || versions.len() < VERSIONS_MAX;
        let version = if room { line.sdk_version.as_str() } else { OTHER };
        versions.insert(version.to_owned());
        // An app that no longer exists has no ledger.
        sqlx::query(
            "INSERT INTO ingest_ledger (app_id, day, kind, outcome, sdk_version, messages)
             SELECT $1, $2, $3, $4, $5, $6 WHERE EXISTS (SELECT 1 FROM apps WHERE id = $1)
             ON CONFLICT (app_id, day, kind, outcome, sdk_version)
             DO UPDATE SET messages = ingest_ledger.messages + excluded.messages",
        )
        .bind(&app)
        .bind(&day)
        .bind(&*line.kind)
        .bind(&*line.outcome)
        .bind(version)
        .bind(count)
        .execute(&mut *db)
        .await?;
    }
    Ok(true)
}

async fn versions(db: &mut AnyConnection, app: &str, day: &str) -> Result<BTreeSet<String>> {
    let rows: Vec<String> = sqlx::query_scalar(
        "SELECT DISTINCT sdk_version FROM ingest_ledger WHERE app_id = $1 AND day = $2",
    )
    .bind(app)
    .bind(day)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().collect())
}

/// Sums per outcome over the apps and days, both ends included.
pub async fn sums(
    db: &mut AnyConnection,
    app_ids: &[Id],
    from: &str,
    to: &str,
) -> Result<Vec<(String, i64)>> {
    let mut sums = BTreeMap::<String, i64>::new();
    // One app at a time along the primary key: lists as parameters are not portable.
    for app_id in app_ids {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT outcome, CAST(SUM(messages) AS BIGINT) FROM ingest_ledger
             WHERE app_id = $1 AND day >= $2 AND day <= $3 GROUP BY outcome",
        )
        .bind(app_id)
        .bind(from)
        .bind(to)
        .fetch_all(&mut *db)
        .await?;
        for (outcome, count) in rows {
            *sums.entry(outcome).or_default() += count;
        }
    }
    Ok(sums.into_iter().filter(|(_, count)| *count != 0).collect())
}

/// Batch numbers are kept for as long as a batch could be retried.
pub async fn forget_batches(db: &mut AnyConnection, before: Millis) -> Result<u64> {
    let gone = sqlx::query("DELETE FROM ingest_batches WHERE booked_at < $1")
        .bind(before)
        .execute(db)
        .await?;
    Ok(gone.rows_affected())
}

/// Deletes the ledger of an app that was permanently deleted.
pub async fn forget_app(db: &mut AnyConnection, app_id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM ingest_ledger WHERE app_id = $1").bind(app_id).execute(db).await?;
    Ok(())
}

/// Accepted and rejected per day, newest first.
pub async fn days(
    db: &mut AnyConnection,
    app_id: &Id,
    from: &str,
) -> Result<Vec<(String, i64, i64)>> {
    Ok(sqlx::query_as(
        "SELECT day,
            CAST(SUM(CASE WHEN outcome = 'accepted' THEN messages ELSE 0 END) AS BIGINT),
            CAST(SUM(CASE WHEN outcome IN ('accepted', 'duplicate') THEN 0 ELSE messages END)
                AS BIGINT)
         FROM ingest_ledger WHERE app_id = $1 AND day >= $2 GROUP BY day ORDER BY day DESC",
    )
    .bind(app_id)
    .bind(from)
    .fetch_all(db)
    .await?)
}

pub fn day_text(day: i32) -> String {
    let epoch = jiff::civil::date(1970, 1, 1);
    match epoch.checked_add(jiff::Span::new().days(day)) {
        Ok(date) => date.to_string(),
        Err(_) => epoch.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        assert_eq!(day_text(0), "1970-01-01");
        assert_eq!(day_text(20_772), "2026-11-15");
    }

    #[test]
    fn equal_lines_are_one() {
        let mut tally = Tally::default();
        let label = Label { kind: MessageType::Event, sdk_version: "1".to_owned() };
        tally.add(Uuid::nil(), 1, &label, Outcome::Accepted, 2);
        tally.add(Uuid::nil(), 1, &label, Outcome::Accepted, 3);
        tally.move_from_accepted(Uuid::nil(), 1, MessageType::Event, "1", Outcome::Duplicate);
        assert_eq!(tally.0.len(), 2);
        assert_eq!(tally.0[0].1, 4);
    }

    #[test]
    fn limits_are_told_beside_the_counters() {
        let bits = Limit::EventNames.bits() | Limit::FieldValues.bits();
        let (mut one, mut two) = (Tally::default(), Tally::default());
        one.remark(Uuid::nil(), 1, bits);
        one.remark(Uuid::nil(), 1, Limit::EventNames.bits());
        two.remark(Uuid::nil(), 1, Limit::EventNames.bits());
        let all = Tally::combine([one, two]);
        let remarks: Vec<_> = all.0.iter().map(|(line, count)| (line.limit(), *count)).collect();
        assert_eq!(remarks, [(Some(Limit::EventNames), 3), (Some(Limit::FieldValues), 1)]);
    }
}
