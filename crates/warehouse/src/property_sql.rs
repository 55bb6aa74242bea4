//! Which columns hold properties, and the SQL for them (`property_columns` assigns and clears them).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::versions::Versions;

/// How many columns an app has.
pub const PROPERTY_COLUMNS_MAX: u8 = 8;
/// Longer paths get no column: the statement that stores events extracts paths of fixed depths.
pub const PROPERTY_DEPTH_MAX: usize = 2;
/// The current state of the table: the newest version of each column. A version with conflicting paths
/// counts as not in use.
pub(crate) const CURRENT: &str = "SELECT app_id, number, max(at_version) AS version, \
        argMax(one_path, at_version) AS path, argMax(all_free, at_version) AS is_free, \
        argMax(since, at_version) AS changed \
    FROM (SELECT app_id, number, property_columns.version AS at_version, \
            if(uniqExact(property_columns.path) = 1, any(property_columns.path), []) AS one_path, \
            min(property_columns.is_free) AS all_free, \
            toInt64(toUnixTimestamp(max(property_columns.changed))) AS since \
        FROM property_columns GROUP BY app_id, number, at_version) \
    GROUP BY app_id, number";

/// A column of an app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertyColumn {
    pub app_id: Uuid,
    /// From 1 on.
    pub number: u8,
    pub(crate) version: u32,
    /// The path of the property that it holds; empty while it is not in use.
    pub path: Vec<String>,
    /// Whether it has been cleared.
    pub(crate) is_free: u8,
    /// When this was last changed, in Unix time.
    pub changed: i64,
}

impl PropertyColumn {
    pub fn is_in_use(&self) -> bool {
        !self.path.is_empty()
    }
}

/// What is known without asking.
#[derive(Default)]
pub(crate) struct Known {
    /// The columns, and when they were read.
    pub columns: Mutex<Option<(Instant, Arc<Vec<PropertyColumn>>)>>,
    /// The versions of a column and of its app's events at which every row had a value.
    whole: Mutex<HashMap<(Uuid, u8), (u32, i64)>>,
}

impl Known {
    pub fn is_whole(&self, column: &PropertyColumn, versions: &Versions) -> bool {
        let known = self.whole.lock().get(&(column.app_id, column.number)).copied();
        known == Some((column.version, versions.of_all(column.app_id)))
    }

    pub fn note_whole(&self, column: &PropertyColumn, versions: &Versions) {
        let at = (column.version, versions.of_all(column.app_id));
        self.whole.lock().insert((column.app_id, column.number), at);
    }
}

/// The columns of an app that can be read instead of the text.
pub(crate) type ReadColumns = HashMap<Vec<String>, u8>;

pub(crate) fn name(number: u8) -> String {
    format!("property_{number}")
}

/// Whether the value was not extracted yet, in the form that the table's index is on.
pub(crate) fn is_unread(number: u8) -> String {
    format!("left({}, 1) = ''", name(number))
}

/// The rows still to be filled, or cleared.
pub(crate) fn is_left(column: &PropertyColumn) -> String {
    match column.is_in_use() {
        true => is_unread(column.number),
        false => format!("{} != ''", name(column.number)),
    }
}

/// The value of a property's column, as SQL. `names` is the path.
pub(crate) fn read_from_text(names: &[String]) -> String {
    let raw = format!("JSONExtractRaw(properties, {})", names.join(", "));
    format!("if(({raw} AS raw) = '', 'null', raw)")
}

/// The columns that an INSERT fills from its rows joined with `paths_of_apps`, and the expressions for
/// them.
pub(crate) fn filled_columns() -> (String, String) {
    let numbers = 1..=PROPERTY_COLUMNS_MAX;
    let names: Vec<String> = numbers.clone().map(name).collect();
    let value = |number: u8| {
        let read = |depth: usize| {
            let names: Vec<String> = (1..=depth).map(|at| format!("path_{number}[{at}]")).collect();
            format!("JSONExtractRaw(properties, {})", names.join(", "))
        };
        format!(
            "multiIf(empty(path_{number}), '', length(path_{number}) = 1, \
             ifNull(nullIf({}, ''), 'null'), ifNull(nullIf({}, ''), 'null'))",
            read(1),
            read(2)
        )
    };
    (names.join(", "), numbers.map(value).collect::<Vec<_>>().join(", "))
}

/// One row for each app that has columns: the path of each.
pub(crate) fn paths_of_apps() -> String {
    let paths: Vec<String> = (1..=PROPERTY_COLUMNS_MAX)
        .map(|number| format!("anyIf(path, number = {number}) AS path_{number}"))
        .collect();
    format!("(SELECT app_id, {} FROM ({CURRENT}) GROUP BY app_id)", paths.join(", "))
}

/// The name of a property's column, if it has one.
pub(crate) fn column_of(columns: &ReadColumns, path: &[String]) -> Option<String> {
    columns.get(path).map(|number| name(*number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::text_literal;

    #[test]
    fn a_name_cannot_end_its_quotes() {
        assert_eq!(
            read_from_text(&[text_literal("it's \\'")]),
            "if((JSONExtractRaw(properties, 'it\\'s \\\\\\'') AS raw) = '', 'null', raw)"
        );
    }
}
