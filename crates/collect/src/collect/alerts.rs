//! Alerts people when their data stops coming in as it should: many rejections at once, more names than
//! are counted, an app that falls silent, a spool that fills up. Whichever instance notices first sends
//! the alert. It is repeated only after things were fine in between or a day has passed.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

use sqlx::AnyConnection;

use super::cardinality::{self, Limit};
use super::ledger;
use crate::collect::state::Collecting;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::notifications::{self, Notice};
use atrium_tenancy::store::apps::{self, WatchedRow};
use atrium_tenancy::store::keys;

/// Rejections since the last look that are worth an alert: at least this many, and this share of all
/// messages.
const REJECTED_MIN: i64 = 100;
const REJECTED_SHARE: f64 = 0.2;
/// Full enough for an alert, with time left to act.
const SPOOL_SHARE: f64 = 0.8;
/// Active days in the previous week that make a silence meaningful.
const REGULAR_DAYS: usize = 3;
const AGAIN_AFTER: i64 = Millis::DAY;

const REJECTIONS: &str = "rejections";
const SILENCE: &str = "silence";
const SPOOL: &str = "spool";

/// What was booked at the last look, per app: today's accepted and rejected.
#[derive(Default)]
pub struct Watch {
    last: HashMap<Id, (String, i64, i64)>,
}

impl Watch {
    /// Looks at every app. Returns how many alerts went out.
    pub async fn look(&mut self, atrium: &Collecting) -> Result<u64> {
        let mut db = atrium.db.read().await?;
        let watched = apps::watched(&mut db).await?;
        let sent_before = sent_before(&mut db).await?;
        drop(db);
        let mut sent = 0;
        let mut organizations = HashSet::new();
        let filling = is_filling(atrium);
        for app in &watched {
            sent += self.look_at(atrium, app, &sent_before).await?;
            // One app of each organization stands for all of them.
            if organizations.insert(app.org_id.clone()) {
                let notice = Notice::SpoolFilling { org_id: app.org_id.clone() };
                sent += settle(atrium, app, SPOOL, filling, &sent_before, notice).await?;
            }
        }
        self.last.retain(|id, _| watched.iter().any(|app| app.id == *id));
        if sent > 0 {
            atrium.outbox.wake();
        }
        Ok(sent)
    }

    async fn look_at(
        &mut self,
        atrium: &Collecting,
        app: &WatchedRow,
        sent_before: &SentBefore,
    ) -> Result<u64> {
        let today = today(atrium.now(), &app.timezone);
        let from = today.saturating_sub(jiff::Span::new().days(8)).to_string();
        let days = ledger::days(&mut *atrium.db.read().await?, &app.id, &from).await?;
        let (name, today) = (app.name.clone(), today.to_string());
        let now = days.iter().find(|(day, ..)| *day == today);
        let (accepted, rejected) = now.map_or((0, 0), |(_, a, r)| (*a, *r));
        let before = self.last.insert(app.id.clone(), (today.clone(), accepted, rejected));
        let mut sent = 0;
        // A spike shows only against an earlier look.
        if let Some((day, accepted_before, rejected_before)) = before
            && day == today
        {
            let (good, bad) = (accepted - accepted_before, rejected - rejected_before);
            let share = bad as f64 / (good + bad).max(1) as f64;
            if bad >= REJECTED_MIN && share >= REJECTED_SHARE {
                let notice = Notice::RejectionsSpike {
                    app_id: app.id.clone(),
                    app: name.clone(),
                    count: bad,
                };
                sent += settle(atrium, app, REJECTIONS, true, sent_before, notice).await?;
            }
        }
        // Messages waiting for the warehouse are not in the ledger yet, so the app does not count as
        // silent.
        let waiting = atrium.collector.spool.usage().messages() > 0;
        let silent = !waiting && is_silent(&days, &today);
        let notice = Notice::AppSilent { app_id: app.id.clone(), app: name };
        sent += settle(atrium, app, SILENCE, silent, sent_before, notice).await?;
        Ok(sent + look_at_limits(atrium, app, &today, sent_before).await?)
    }
}

/// Reports each limit that was reached today, once a day.
async fn look_at_limits(
    atrium: &Collecting,
    app: &WatchedRow,
    today: &str,
    sent_before: &SentBefore,
) -> Result<u64> {
    let apps = std::slice::from_ref(&app.id);
    let mut db = atrium.db.read().await?;
    let reached = cardinality::store::over_limit(&mut db, apps, today, today).await?;
    drop(db);
    let mut sent = 0;
    for (limit, _) in reached {
        let notice = Notice::LimitReached {
            app_id: app.id.clone(),
            app: app.name.clone(),
            limit,
            max: i64::try_from(atrium.settings.events.limits.of(limit)).unwrap_or(i64::MAX),
        };
        sent += settle(atrium, app, kind_of(limit), true, sent_before, notice).await?;
    }
    Ok(sent)
}

fn kind_of(limit: Limit) -> &'static str {
    match limit {
        Limit::EventNames => "over_event_names",
        Limit::PropertyNames => "over_property_names",
        Limit::FieldValues => "over_field_values",
        Limit::Pages => "over_pages",
    }
}

/// Whether the app got nothing today and yesterday, although it gets something on most days.
fn is_silent(days: &[(String, i64, i64)], today: &str) -> bool {
    let yesterday = today
        .parse::<jiff::civil::Date>()
        .ok()
        .and_then(|date| date.yesterday().ok())
        .map(|date| date.to_string())
        .unwrap_or_default();
    let got_events = |day: &str| days.iter().any(|(at, accepted, _)| at == day && *accepted > 0);
    let earlier = days
        .iter()
        .filter(|(day, accepted, _)| *day != today && *day != yesterday && *accepted > 0)
        .count();
    !got_events(today) && !got_events(&yesterday) && earlier >= REGULAR_DAYS
}

fn is_filling(atrium: &Collecting) -> bool {
    let spool = &atrium.collector.spool;
    let bytes = spool.usage().bytes.load(Ordering::Relaxed);
    bytes as f64 >= spool.limit() as f64 * SPOOL_SHARE
}

fn today(now: Millis, zone: &str) -> jiff::civil::Date {
    let zone = jiff::tz::TimeZone::get(zone).unwrap_or(jiff::tz::TimeZone::UTC);
    jiff::Timestamp::from_millisecond(now.0).unwrap_or_default().to_zoned(zone).date()
}

/// Sends the alert if it applies and was not sent recently. Forgets about it once the condition is over.
async fn settle(
    atrium: &Collecting,
    app: &WatchedRow,
    kind: &str,
    is_so: bool,
    sent_before: &SentBefore,
    notice: Notice,
) -> Result<u64> {
    // Nearly always all is well and was before, so nothing is written.
    if !is_so && !sent_before.contains(&(app.id.clone(), kind.to_owned())) {
        return Ok(0);
    }
    let now = atrium.now();
    let mut tx = atrium.db.write_uncached().await?;
    let sent = if is_so {
        claim(&mut tx, &app.id, kind, now).await?
    } else {
        // Only silence has a definite end: a spike has none, and instances differ in how full their
        // spools are. Those alerts may be repeated after a day.
        if kind == SILENCE {
            forget(&mut tx, &app.id, kind).await?;
        }
        false
    };
    if sent {
        for user_id in keys::managers(&mut tx, &app.id, &app.org_id).await? {
            notifications::notify_id(atrium, &mut tx, &user_id, &notice).await?;
        }
    }
    tx.commit().await?;
    Ok(u64::from(sent))
}

/// Alerts that were sent and not cleared since, by app and kind.
type SentBefore = HashSet<(Id, String)>;

async fn sent_before(db: &mut AnyConnection) -> Result<SentBefore> {
    let rows: Vec<(Id, String)> =
        sqlx::query_as("SELECT app_id, kind FROM ingest_alerts").fetch_all(db).await?;
    Ok(rows.into_iter().collect())
}

/// True for the instance that gets to send the alert.
async fn claim(db: &mut AnyConnection, app_id: &Id, kind: &str, now: Millis) -> Result<bool> {
    let claimed = sqlx::query(
        "INSERT INTO ingest_alerts (app_id, kind, told_at) VALUES ($1, $2, $3)
         ON CONFLICT (app_id, kind) DO UPDATE SET told_at = excluded.told_at
         WHERE ingest_alerts.told_at < $4 AND ingest_alerts.kind <> $5",
    )
    .bind(app_id)
    .bind(kind)
    .bind(now)
    .bind(now.plus(-AGAIN_AFTER))
    .bind(SILENCE)
    .execute(db)
    .await?;
    Ok(claimed.rows_affected() == 1)
}

async fn forget(db: &mut AnyConnection, app_id: &Id, kind: &str) -> Result<()> {
    sqlx::query("DELETE FROM ingest_alerts WHERE app_id = $1 AND kind = $2")
        .bind(app_id)
        .bind(kind)
        .execute(db)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_two_days_without_a_word_after_regular_ones() {
        let day = |date: &str, accepted| (date.to_owned(), accepted, 0);
        let regular = vec![day("2026-11-12", 5), day("2026-11-11", 5), day("2026-11-10", 1)];
        assert!(is_silent(&regular, "2026-11-14"));
        assert!(!is_silent(&regular, "2026-11-13"));
        assert!(!is_silent(&regular[..2], "2026-11-14"));
        let mut back = regular.clone();
        back.push(day("2026-11-14", 1));
        assert!(!is_silent(&back, "2026-11-14"));
    }
}
