//! Questions about what people do: trends, funnels, retention, paths, distributions, lifecycle. The
//! store finds the events and groups them by person or by time; the results are counted here, with sets
//! of people and lists of moments (docs/decisions/0040).

mod distribution;
mod funnel;
mod groups;
mod lifecycle;
mod paths;
mod people;
mod profile_labels;
mod retention;
mod sets;
mod slots;
mod trend;
mod trend_cells;

use std::time::Duration;

use bytes::Bytes;
use uuid::Uuid;

pub use distribution::{Bin, DistributionQuery, Quantity};
pub use funnel::{
    Funnel, FunnelFigure, FunnelGroup, FunnelOrder, FunnelQuery, FunnelStep, STEPS_MAX,
};
pub use lifecycle::{LifecyclePoint, LifecycleQuery, LifecycleState};
pub use paths::{Link, Node, Paths, PathsQuery, Side};
pub use people::PersonOf;
pub use retention::{
    RetentionCohort, RetentionFigure, RetentionGroup, RetentionMode, RetentionQuery,
};
pub use slots::Slots;
pub use trend::{Aggregate, Trend, TrendGroup, TrendMeasure, TrendQuery};

use crate::call::Call;
use crate::client::Warehouse;
use crate::conditions::{Condition, EventChoice};
use crate::error::Error;
use crate::owners::Whose;
use crate::params::Param;
use crate::statement::Statement;

/// One person's question must not keep others waiting.
const TIME_LIMIT: Duration = Duration::from_secs(30);
const MEMORY_LIMIT: u64 = 1 << 30;
const ROWS_LIMIT: u64 = 1_000_000_000;
/// How much memory of this process an answer may take.
const ANSWER_LIMIT: u64 = 96 << 20;

/// The part that all questions have in common.
#[derive(Clone, Debug)]
pub struct Scope {
    pub app: Uuid,
    /// Only events that meet it are considered.
    pub condition: Condition,
    /// For callers who may not see personal data: values hidden from them are treated as absent
    /// (`shown`).
    pub hide_personal: bool,
}

/// A column's name, and the expression for it.
type Named<'a> = (&'a str, &'a str);

/// Start and end in milliseconds, the end excluded.
pub type Range = (i64, i64);

impl Scope {
    fn statement(&self, store: &Warehouse) -> Statement {
        let this = Statement::of(self.app, self.hide_personal, store.whose());
        this.reading(store.columns())
    }

    /// A subquery for events in a range that match one of the choices, with these columns and the
    /// event's `person`.
    fn events(
        &self,
        this: &mut Statement,
        whose: Whose,
        range: Range,
        choices: &[&EventChoice],
        columns: &str,
    ) -> String {
        let wanted = self.wanted(this, range, choices);
        whose.events_from(&this.source(), &this.app, columns, &wanted)
    }

    /// A subquery for the people who had matching events in a range, by a key. Sets of numbers are small
    /// whatever an app's size, and looking up the owner of each event would cost more.
    fn people_by(
        &self,
        this: &mut Statement,
        whose: Whose,
        range: Range,
        choices: &[&EventChoice],
        (key, of): Named,
    ) -> String {
        let wanted = self.wanted(this, range, choices);
        let numbers = format!(
            "(SELECT {key}, arrayJoin(bitmapToArray(numbers)) AS person_no FROM (\
                 SELECT {of} AS {key}, groupBitmapState(person_no) AS numbers FROM {} \
                 WHERE {wanted} GROUP BY {key}))",
            this.source()
        );
        whose.of(&this.app, key, &numbers)
    }

    /// The same with totals over the events of each person, which takes memory by people and keys.
    fn people(
        &self,
        this: &mut Statement,
        whose: Whose,
        range: Range,
        choices: &[&EventChoice],
        (keys, totals): (&[Named], &[Named]),
    ) -> String {
        let wanted = self.wanted(this, range, choices);
        let all = || keys.iter().chain(totals);
        let columns: Vec<String> = all().map(|(name, of)| format!("{of} AS {name}")).collect();
        let by: Vec<&str> = keys.iter().map(|(name, _)| *name).chain(["person_no"]).collect();
        let numbers = format!(
            "(SELECT {}, person_no FROM {} WHERE {wanted} GROUP BY {})",
            columns.join(", "),
            this.source(),
            by.join(", ")
        );
        let names: Vec<&str> = all().map(|(name, _)| *name).collect();
        whose.of(&this.app, &names.join(", "), &numbers)
    }

    fn wanted(&self, this: &mut Statement, (from, to): Range, choices: &[&EventChoice]) -> String {
        let mut wanted = this.between(from, to);
        // A separate condition where possible, because the table is sorted by event names.
        let names = all_names(choices);
        let says_all = names.is_some()
            && this.shown.is_none()
            && choices.iter().all(|choice| choice.is_by_name());
        if let Some(names) = names {
            let names = this.bind("Array(String)", Param::Texts(names));
            wanted.push_str(&format!(" AND event IN {names}"));
        }
        if !says_all {
            let chosen: Vec<String> = choices.iter().map(|choice| this.is_chosen(choice)).collect();
            wanted.push_str(&format!(" AND ({})", chosen.join(" OR ")));
        }
        wanted.push_str(&format!(" AND {}", this.meets(&self.condition)));
        wanted
    }
}

impl EventChoice {
    /// Whether nothing else must hold.
    fn is_by_name(&self) -> bool {
        self.condition == Condition::default()
    }
}

/// The names of all chosen events; None if any name is allowed.
fn all_names(choices: &[&EventChoice]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for choice in choices {
        names.extend(choice.names.as_ref()?.iter().cloned());
    }
    names.sort_unstable();
    names.dedup();
    Some(names)
}

impl Warehouse {
    /// Runs a statement whose answer is read with `Rows`.
    async fn analyze(&self, statement: &Statement) -> Result<Bytes, Error> {
        self.analyze_as(statement, "RowBinary", None).await
    }

    /// The same for one that is read with `Rows::block`.
    async fn analyze_blocks(&self, statement: &Statement) -> Result<Bytes, Error> {
        self.analyze_as(statement, "Native", None).await
    }

    /// The same with a limit on the number of groups (`Error::is_too_large`).
    async fn analyze_within(&self, statement: &Statement, groups: usize) -> Result<Bytes, Error> {
        self.analyze_as(statement, "RowBinary", Some(groups)).await
    }

    async fn analyze_as(
        &self,
        statement: &Statement,
        format: &str,
        groups_max: Option<usize>,
    ) -> Result<Bytes, Error> {
        let sql = format!("{}\nFORMAT {format}", statement.text());
        let params: Vec<(&str, Param)> =
            statement.params.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        let mut call = Call::new(&sql, &params, self.limit().min(TIME_LIMIT))
            .set("max_memory_usage", MEMORY_LIMIT)
            .set("max_rows_to_read", ROWS_LIMIT)
            .set("max_result_bytes", ANSWER_LIMIT)
            .long()
            .reading();
        if let Some(groups) = groups_max {
            call = call.set("max_rows_to_group_by", groups);
        }
        self.call(call).await
    }
}
