//! Counting anew beside the running system: what a table of counts does not hold because it came later
//! than the events. The table's view counts whatever is loaded from then on, by whichever release; what
//! was there before is counted part by part, an app's month at a time, while nobody loads that app. Until
//! the last part is done the table is not read: the figures come from the shorter buckets that it is made
//! of, and are the same.

use std::collections::HashSet;

use serde::Deserialize;
use uuid::Uuid;

use crate::client::{Insert, Warehouse};
use crate::counting::{RECOUNTS, Recount};
use crate::error::Error;
use crate::loads::load_query_id;

/// A part is known by a number, as a load is: a statement that somebody left behind must not add to what
/// the next one counts.
const NUMBER: u64 = 0xc0;

/// An app's month in the tables of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RecountPart {
    pub name: String,
    pub app_id: Uuid,
    /// As in 202611.
    month: u32,
}

const MONTH: &str = "app_id = {app:UUID} AND toYYYYMM(bucket) = {month:UInt32}";

fn recount_of(part: &RecountPart) -> Option<&'static Recount> {
    RECOUNTS.iter().find(|recount| recount.name == part.name)
}

impl Warehouse {
    /// Notes what there is to count. Can be run again until the first part is done.
    pub(crate) async fn plan_recount(&self, recount: &Recount) -> Result<(), Error> {
        let sql = "INSERT INTO recounts (name, app_id, month, done) \
                   SELECT {name:String}, app_id, toYYYYMM(bucket) AS month, 0 FROM totals_15m \
                   GROUP BY app_id, month";
        self.fill(sql, &[("name", recount.name.into())]).await
    }

    /// Whether this process knows that nothing is left to count. Asks nobody.
    pub fn is_everything_counted(&self) -> bool {
        self.schema_state().is_everything_counted()
    }

    /// The parts that are left, the latest months first: those are looked at most.
    pub async fn recounts_left(&self) -> Result<Vec<RecountPart>, Error> {
        let sql = "SELECT toString(name) AS name, app_id, month FROM recounts \
                   GROUP BY name, app_id, month HAVING max(recounts.done) = 0 \
                   ORDER BY month DESC, app_id, name";
        let mut left: Vec<RecountPart> = self.query(sql, &[]).await?;
        // What a newer release has asked for is its own business.
        left.retain(|part| recount_of(part).is_some());
        let is_left = |recount: &&Recount| left.iter().any(|part| part.name == recount.name);
        let tables = RECOUNTS.iter().filter(is_left).flat_map(Recount::tables);
        let tables: HashSet<&'static str> = tables.map(|coarse| coarse.table).collect();
        self.schema_state().set_uncounted(tables);
        Ok(left)
    }

    /// Counts a part. The caller keeps the app's loader away.
    pub async fn recount(&self, part: &RecountPart) -> Result<(), Error> {
        let Some(recount) = recount_of(part) else { return Ok(()) };
        self.end_load(NUMBER).await?;
        let params = [("app", part.app_id.into()), ("month", u64::from(part.month).into())];
        let query_id = load_query_id(NUMBER);
        for coarse in recount.tables() {
            self.delete(coarse.table, MONTH, &params).await?;
            self.fill_as(Some(&query_id), &coarse.fill(MONTH), &params).await?;
        }
        let done = serde_json::json!({
            "name": part.name, "app_id": part.app_id, "month": part.month, "done": 1,
        });
        let sql = "INSERT INTO recounts (name, app_id, month, done) FORMAT JSONEachRow";
        self.insert(sql, done.to_string().into(), Insert::default()).await
    }
}
