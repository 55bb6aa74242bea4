//! Leases for work that only one instance may do at a time. A lease lasts half a minute and is renewed
//! while the work goes on, so that work of a dead instance is soon taken over. An instance that was
//! suspended may continue without knowing that its lease has passed to another: where that does harm,
//! the fence tells its writes from those of the new holder (docs/decisions/0032).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use sqlx::{AnyConnection, AssertSqlSafe};
use tokio::time::Instant;

use crate::error::Result;
use crate::state::Core;
use crate::types::Millis;

pub const DURATION: i64 = 30 * Millis::SECOND;
const RENEW_EVERY: Duration = Duration::from_secs(10);
/// Work stops after this long without a renewal, a little before others may take the lease.
const GIVE_UP_AFTER: Duration = Duration::from_secs(25);
/// A claim as next holder lasts this long: whoever still waits renews it in time.
const NEXT_DURATION: i64 = 5 * Millis::SECOND;

/// One or more leases, ours as of the last renewal.
pub struct Lease {
    holder: String,
    /// Fence by lease name.
    fences: BTreeMap<String, i64>,
}

/// Another instance has taken over the work, so this one has to stop.
#[derive(Debug)]
pub struct LeaseLost(String);

impl LeaseLost {
    pub fn of(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl std::fmt::Display for LeaseLost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "another instance now holds the lease \"{}\"", self.0)
    }
}

impl std::error::Error for LeaseLost {}

impl Lease {
    /// None while another instance holds it. `holder` is the same after a restart, so that an instance
    /// that crashed resumes at once.
    pub async fn take(atrium: &Core, name: &str, holder: &str) -> Result<Option<Self>> {
        Self::take_some(atrium, holder, &[name.to_owned()], 1, &[]).await
    }

    /// Takes the first `most` of the wanted leases that are free. This holder becomes the next one for
    /// those in `overdue` that it did not get, so that their holder cannot take them twice in a row.
    pub async fn take_some(
        atrium: &Core,
        holder: &str,
        wanted: &[String],
        most: usize,
        overdue: &[String],
    ) -> Result<Option<Self>> {
        let clock = DatabaseClock::of(atrium);
        // Not relaxed: after a database crash nobody else may find them free.
        let mut tx = atrium.db.write_uncached().await?;
        let held = clock.held_by_others(&mut tx, holder, wanted).await?;
        let free = wanted.iter().filter(|name| !held.contains(*name)).take(most);
        // The same order everywhere prevents deadlocks.
        let free: BTreeSet<&String> = free.collect();
        let fences = clock.take(&mut tx, holder, &free).await?;
        let missed: Vec<&String> =
            overdue.iter().filter(|name| !fences.contains_key(*name)).collect();
        if !missed.is_empty() {
            clock.be_next(&mut tx, holder, &missed).await?;
        }
        tx.commit().await?;
        Ok((!fences.is_empty()).then(|| Self { holder: holder.to_owned(), fences }))
    }

    pub fn holder(&self) -> &str {
        &self.holder
    }

    pub fn fences(&self) -> &BTreeMap<String, i64> {
        &self.fences
    }

    /// Runs the work, however long it takes, and keeps the lease renewed. If the lease is lost, or may
    /// be, the work is dropped where it stands.
    pub async fn during<T>(
        &self,
        atrium: &Core,
        work: impl Future<Output = anyhow::Result<T>>,
    ) -> anyhow::Result<T> {
        tokio::select! {
            biased;
            lost = self.heartbeat(atrium) => Err(lost),
            outcome = work => outcome,
        }
    }

    /// Returns when the lease is lost.
    async fn heartbeat(&self, atrium: &Core) -> anyhow::Error {
        let mut renewed = Instant::now();
        loop {
            tokio::time::sleep(RENEW_EVERY).await;
            let started = Instant::now();
            match tokio::time::timeout(RENEW_EVERY, self.renew(atrium)).await {
                Ok(Ok(())) => renewed = started,
                Ok(Err(error)) if error.is::<LeaseLost>() => return error,
                _ if renewed.elapsed() >= GIVE_UP_AFTER => {
                    return anyhow::anyhow!("a lease could not be renewed in time");
                }
                _ => {}
            }
        }
    }

    /// Extends the leases, which must still be ours. If another instance had one in between it is lost,
    /// even if it is free again: what was read under it may be out of date.
    pub async fn renew(&self, atrium: &Core) -> anyhow::Result<()> {
        let until = DatabaseClock::of(atrium).in_future(DURATION);
        let held = self.hold_until(atrium, &until).await?;
        match self.fences.keys().find(|name| !held.contains(*name)) {
            Some(name) => Err(LeaseLost::of(name).into()),
            None => Ok(()),
        }
    }

    /// Gives the leases up.
    pub async fn release(self, atrium: &Core) -> Result<()> {
        self.hold_until(atrium, "0").await?;
        Ok(())
    }

    /// Sets the end of the leases still held. Returns their names.
    async fn hold_until(&self, atrium: &Core, until: &str) -> Result<BTreeSet<String>> {
        let sql = format!(
            "UPDATE leases SET held_until = {until} WHERE holder = $1 AND name IN ({}) RETURNING name",
            parameters(2, self.fences.len())
        );
        let mut tx = atrium.db.write_relaxed().await?;
        let mut query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(&self.holder);
        for name in self.fences.keys() {
            query = query.bind(name);
        }
        let held: Vec<String> = query.fetch_all(&mut *tx).await?;
        tx.commit().await?;
        Ok(held.into_iter().collect())
    }

    /// Raises the fences of the leases above these. If the database was restored from a backup, the
    /// event store knows higher fences than the database does.
    pub async fn raise_fences(
        &mut self,
        atrium: &Core,
        above: &BTreeMap<String, i64>,
    ) -> anyhow::Result<()> {
        let mut tx = atrium.db.write_uncached().await?;
        for (name, fence) in above {
            let raised = sqlx::query(
                "UPDATE leases SET fence = $1 WHERE name = $2 AND holder = $3 AND fence <= $4",
            )
            .bind(fence + 1)
            .bind(name)
            .bind(&self.holder)
            .bind(fence)
            .execute(&mut *tx)
            .await?;
            anyhow::ensure!(raised.rows_affected() == 1, LeaseLost::of(name));
        }
        tx.commit().await?;
        self.fences.extend(above.iter().map(|(name, fence)| (name.clone(), fence + 1)));
        Ok(())
    }
}

/// The clock that leases follow. It is the database's: an instance with a wrong clock must not take
/// what others hold.
pub struct DatabaseClock {
    now: String,
}

impl DatabaseClock {
    pub fn of(atrium: &Core) -> Self {
        // Tests move the clock.
        Self { now: format!("({} + {})", atrium.db.now_sql(), atrium.clock.advanced()) }
    }

    pub fn now(&self) -> &str {
        &self.now
    }

    pub fn in_future(&self, millis: i64) -> String {
        format!("({} + {millis})", self.now)
    }

    async fn held_by_others(
        &self,
        db: &mut AnyConnection,
        holder: &str,
        names: &[String],
    ) -> Result<BTreeSet<String>> {
        let sql = format!(
            "SELECT name FROM leases WHERE name IN ({}) AND NOT ({})",
            parameters(2, names.len()),
            self.is_free("$1")
        );
        let mut query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(holder);
        for name in names {
            query = query.bind(name);
        }
        Ok(query.fetch_all(db).await?.into_iter().collect())
    }

    /// SQL for whether `holder` may take a lease now.
    fn is_free(&self, holder: &str) -> String {
        format!(
            "(leases.holder = {holder} OR leases.held_until < {now})
             AND (leases.next_holder = {holder} OR leases.next_until < {now})",
            now = self.now
        )
    }

    async fn take(
        &self,
        db: &mut AnyConnection,
        holder: &str,
        names: &BTreeSet<&String>,
    ) -> Result<BTreeMap<String, i64>> {
        if names.is_empty() {
            return Ok(BTreeMap::new());
        }
        let until = self.in_future(DURATION);
        let rows: Vec<String> =
            (0..names.len()).map(|at| format!("(${}, $1, {until}, 1)", at + 2)).collect();
        let sql = format!(
            "INSERT INTO leases (name, holder, held_until, fence) VALUES {}
             ON CONFLICT (name) DO UPDATE SET
                holder = excluded.holder, held_until = excluded.held_until,
                next_holder = '', next_until = 0,
                fence = leases.fence + CASE
                    WHEN leases.holder = excluded.holder OR leases.held_until = 0 THEN 0 ELSE 1 END
             WHERE {}
             RETURNING name, fence",
            rows.join(", "),
            self.is_free("excluded.holder")
        );
        let mut query = sqlx::query_as(AssertSqlSafe(sql)).bind(holder);
        for name in names {
            query = query.bind(*name);
        }
        let taken: Vec<(String, i64)> = query.fetch_all(db).await?;
        Ok(taken.into_iter().collect())
    }

    /// Registers as the next holder, unless another one already has.
    async fn be_next(&self, db: &mut AnyConnection, holder: &str, names: &[&String]) -> Result<()> {
        let sql = format!(
            "UPDATE leases SET next_holder = $1, next_until = {}
             WHERE name IN ({}) AND holder != $1 AND (next_holder = $1 OR next_until < {})",
            self.in_future(NEXT_DURATION),
            parameters(2, names.len()),
            self.now
        );
        let mut query = sqlx::query(AssertSqlSafe(sql)).bind(holder);
        let names: BTreeSet<_> = names.iter().collect();
        for name in names {
            query = query.bind(*name);
        }
        query.execute(db).await?;
        Ok(())
    }
}

/// `$2, $3, …`
fn parameters(first: usize, count: usize) -> String {
    let all: Vec<String> = (first..first + count).map(|at| format!("${at}")).collect();
    all.join(", ")
}
