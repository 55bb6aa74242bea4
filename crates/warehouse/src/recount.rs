//! Recounts while the system runs: fills a table of counts with events that are older than the table.
//! The table's view counts everything loaded from its creation on, by whichever release; earlier events
//! are counted in parts, one app and month at a time, while that app's loader is paused. Until the last
//! part is done the table is not read: the figures come from the shorter buckets that it is made from,
//! and are the same.

use std::collections::HashSet;

use serde::Deserialize;
use uuid::Uuid;

use crate::call::Insert;
use crate::client::Warehouse;
use crate::counting::{OWNERS, PAGES, RECOUNTS, Recount, Recounted};
use crate::error::Error;
use crate::loads::load_query_id;
use crate::schema;

/// The statements of a recount have a load's query id with this number, so that one left running by a
/// crash can be ended before the next adds to it.
const NUMBER: u64 = 0xc0;

/// One month of an app in one kind of tables.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RecountPart {
    pub name: String,
    pub app_id: Uuid,
    /// As in 202611.
    month: u32,
}

impl RecountPart {
    /// Whether it changes which events belong to one person.
    pub fn is_about_owners(&self) -> bool {
        self.name == OWNERS.name
    }
}

/// A step of a part. Each can be repeated.
#[derive(Clone, Copy)]
pub struct RecountStep(Step);

#[derive(Clone, Copy)]
enum Step {
    /// Ends statements left running by an interrupted attempt.
    EndOthers,
    Remove(Recounted),
    Fill(Recounted),
    Done,
}

const MONTH: &str = "app_id = {app:UUID} AND toYYYYMM(bucket) = {month:UInt32}";
const EVENTS_OF_MONTH: &str = "app_id = {app:UUID} AND toYYYYMM(time) = {month:UInt32}";

/// A condition for the buckets of this length that overlap the month (a week may start in the one
/// before), or for the quarters of an hour within those buckets.
fn around_month(length: u32) -> String {
    let first =
        "makeDateTime(intDiv({month:UInt32}, 100), {month:UInt32} % 100, 1, 0, 0, 0, 'UTC')";
    let (from, to) = (
        format!("toUnixTimestamp({first})"),
        format!("toUnixTimestamp(addMonths({first}, 1)) + {length} - 1"),
    );
    let start_of = |at: &str| format!("toDateTime(intDiv({at}, {length}) * {length}, 'UTC')");
    format!(
        "app_id = {{app:UUID}} AND bucket >= {} AND bucket < {}",
        start_of(&from),
        start_of(&format!("({to})"))
    )
}

fn recount_of(part: &RecountPart) -> Option<&'static Recount> {
    RECOUNTS.iter().find(|recount| recount.name == part.name)
}

impl Warehouse {
    /// Records what there is to count. Can be repeated until the first part is done.
    pub(crate) async fn plan_recount(&self, recount: &Recount) -> Result<(), Error> {
        let sql = "INSERT INTO recounts (name, app_id, month, done) \
                   SELECT {name:String}, app_id, toYYYYMM(bucket) AS month, 0 FROM totals_15m \
                   GROUP BY app_id, month";
        self.fill(sql, &[("name", recount.name.into())]).await
    }

    /// Whether this process knows that nothing is left to count. Sends no query.
    pub fn is_everything_counted(&self) -> bool {
        self.schema_state().is_everything_counted()
    }

    /// The parts that are left, the latest months first, because those are viewed most.
    pub async fn recounts_left(&self) -> Result<Vec<RecountPart>, Error> {
        // Each shard has its own parts, and they finish independently.
        let all =
            self.on_every_shard(|shard| async move { shard.recounts_left_here().await }).await?;
        let mut left: Vec<RecountPart> = all.into_iter().flatten().collect();
        left.sort_by(|a, b| (b.month, a.app_id, &a.name).cmp(&(a.month, b.app_id, &b.name)));
        left.dedup();
        let is_left = |recount: &&Recount| left.iter().any(|part| part.name == recount.name);
        let tables = RECOUNTS.iter().filter(is_left).flat_map(Recount::tables);
        let tables: HashSet<&'static str> = tables.map(Recounted::table).collect();
        self.schema_state().set_uncounted(tables);
        Ok(left)
    }

    async fn recounts_left_here(&self) -> Result<Vec<RecountPart>, Error> {
        let sql = "SELECT toString(name) AS name, app_id, month FROM recounts \
                   GROUP BY name, app_id, month HAVING max(recounts.done) = 0";
        let mut left: Vec<RecountPart> = self.query(sql, &[]).await?;
        // Parts planned by a newer release are ignored.
        left.retain(|part| recount_of(part).is_some());
        Ok(left)
    }

    /// Whether a part can be counted now. Visits are counted by the loader, and programs too old to know
    /// them load without counting them: while one of those runs, a recount would never be complete.
    pub async fn may_recount(&self, part: &RecountPart) -> Result<bool, Error> {
        match self.schema_state().guard.get() {
            Some(guard) if part.name == PAGES.name => {
                Ok(guard.running_below(schema::PAGES).await?.is_empty())
            }
            _ => Ok(true),
        }
    }

    /// Whether pages and referring sites have been counted, as far as this process knows.
    pub fn knows_pages(&self) -> bool {
        self.schema_state().is_counted("pages_15m")
    }

    /// The steps of a part, in order. The caller keeps the app's loader from running, and checks before
    /// each step that no other instance has taken over: after a long pause this one must not remove what
    /// another has counted since.
    pub fn recount_steps(&self, part: &RecountPart) -> Vec<RecountStep> {
        let tables = recount_of(part).into_iter().flat_map(Recount::tables);
        let steps = tables.flat_map(|table| match table {
            Recounted::Coarse(_) | Recounted::Quarters(_) => {
                vec![Step::Remove(table), Step::Fill(table)]
            }
            Recounted::Extent(_) | Recounted::Visits => vec![Step::Fill(table)],
        });
        let all = std::iter::once(Step::EndOthers).chain(steps).chain([Step::Done]);
        all.map(RecountStep).collect()
    }

    /// Runs the step on every shard. Where the part is done, or never existed, the result is the same as
    /// before.
    pub async fn recount(
        &self,
        part: &RecountPart,
        RecountStep(step): RecountStep,
    ) -> Result<(), Error> {
        if let Step::EndOthers = step {
            return self.end_load(NUMBER).await;
        }
        self.on_every_shard(|shard| async move { shard.recount_here(part, step).await })
            .await
            .map(drop)
    }

    async fn recount_here(&self, part: &RecountPart, step: Step) -> Result<(), Error> {
        let params = [("app", part.app_id.into()), ("month", u64::from(part.month).into())];
        match step {
            Step::EndOthers => Ok(()),
            Step::Remove(table) => {
                let rows = match table {
                    Recounted::Coarse(coarse) => around_month(coarse.length),
                    _ => MONTH.to_owned(),
                };
                self.delete(table.table(), &rows, &params).await.map(drop)
            }
            Step::Fill(Recounted::Visits) => {
                self.count_visits_of(part.app_id, MONTH, &params).await
            }
            Step::Fill(table) => {
                let query_id = load_query_id(NUMBER);
                let sql = match table {
                    Recounted::Coarse(coarse) => coarse.fill(&around_month(coarse.length)),
                    Recounted::Extent(count) | Recounted::Quarters(count) => {
                        self.fill_of_events(count, EVENTS_OF_MONTH, &params).await?
                    }
                    Recounted::Visits => return Ok(()),
                };
                self.fill_as(Some(&query_id), &sql, &params).await
            }
            Step::Done => {
                let RecountPart { name, app_id, month } = part;
                let done = serde_json::json!({
                    "name": name, "app_id": app_id, "month": month, "done": 1,
                });
                let sql = "INSERT INTO recounts (name, app_id, month, done) FORMAT JSONEachRow";
                self.insert_here(sql, done.to_string().into(), Insert::default()).await
            }
        }
    }
}
