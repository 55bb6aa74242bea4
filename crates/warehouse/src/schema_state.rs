//! What this process knows of the tables: whether they are up to date, which are not fully counted yet,
//! and the guard to ask before changing them.

use std::collections::HashSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;

use crate::counting::RECOUNTS;
use crate::error::Error;

pub type Changes<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;
pub type Servers<'a> = Pin<Box<dyn Future<Output = Result<Vec<String>, Error>> + Send + 'a>>;

/// Knows the other servers on the same store. The store itself has neither locks nor a list of its
/// users.
pub trait SchemaGuard: Send + Sync {
    /// Runs the changes while no other server changes the tables.
    fn alone<'a>(&'a self, changes: Changes<'a>) -> Changes<'a>;

    /// The servers that run and do not know this migration.
    fn running_below(&self, migration: u32) -> Servers<'_>;
}

pub(crate) struct SchemaState {
    /// Held while the tables are brought up to date; true once they are.
    pub up_to_date: tokio::sync::Mutex<bool>,
    /// Not set if this process has the store to itself.
    pub guard: OnceLock<Arc<dyn SchemaGuard>>,
    uncounted: RwLock<HashSet<&'static str>>,
}

impl Default for SchemaState {
    fn default() -> Self {
        // Until this has been checked, every table that may be incomplete counts as incomplete: figures
        // are right either way, and only slower to read.
        let tables = RECOUNTS.iter().flat_map(|recount| recount.tables()).map(|it| it.table());
        Self {
            up_to_date: tokio::sync::Mutex::default(),
            guard: OnceLock::new(),
            uncounted: RwLock::new(tables.collect()),
        }
    }
}

impl SchemaState {
    /// Whether a table has been counted completely.
    pub fn is_counted(&self, table: &str) -> bool {
        !self.uncounted.read().contains(table)
    }

    pub fn is_everything_counted(&self) -> bool {
        self.uncounted.read().is_empty()
    }

    pub fn set_uncounted(&self, tables: HashSet<&'static str>) {
        *self.uncounted.write() = tables;
    }
}
