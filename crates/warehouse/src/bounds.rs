//! Upper bounds on the cost of a statement, whatever applications sent. Lists to choose from are queried
//! at every keystroke, and must not slow down anyone else's questions.

use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::call::Call;
use crate::client::Warehouse;
use crate::error::Error;
use crate::params::Param;

#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub time: Duration,
    pub memory: u64,
    pub result: u64,
    /// After reading this many bytes the rest is left out, and the answer covers only what was read.
    pub read: Option<u64>,
    /// After this many groups, further ones are left out.
    pub groups: Option<u64>,
    /// Whether rows may be large: properties of up to 32 KB.
    pub wide: bool,
}

/// Lists of names, values and people.
pub(crate) const LIST: Bounds = Bounds {
    time: Duration::from_secs(5),
    memory: 256 << 20,
    result: 32 << 20,
    read: None,
    groups: None,
    wide: false,
};

impl<'a> Call<'a> {
    pub fn bounded(self, bounds: &Bounds) -> Self {
        let threads = if bounds.read.is_some() { 1 } else { 2 };
        let mut call = self
            .set("max_memory_usage", bounds.memory)
            .set("max_result_bytes", bounds.result)
            .set("max_threads", threads);
        if bounds.wide {
            // Few rows at a time, and only the needed values are extracted from them before they are
            // sorted.
            call = call
                .set("max_block_size", 1_024)
                .set("query_plan_execute_functions_after_sorting", 0);
        }
        if let Some(bytes) = bounds.read {
            call = call.set("max_bytes_to_read", bytes).set("read_overflow_mode", "break");
        }
        if let Some(groups) = bounds.groups {
            call = call.set("max_rows_to_group_by", groups).set("group_by_overflow_mode", "any");
        }
        call
    }
}

impl Warehouse {
    /// Asks a question within these bounds.
    pub(crate) async fn query_within<T: DeserializeOwned>(
        &self,
        bounds: &Bounds,
        sql: &str,
        params: &[(&str, Param)],
    ) -> Result<Vec<T>, Error> {
        let sql = format!("{sql}\nFORMAT JSONEachRow");
        let call = Call::new(&sql, params, self.limit().min(bounds.time));
        self.rows(call.bounded(bounds).reading()).await
    }
}
