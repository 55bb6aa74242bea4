//! The server's warehouse, opened when it is first needed: a command that only looks at accounts, and
//! most tests, need none.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use warehouse::{Location, SchemaGuard, State, Warehouse};

use atrium_core::config::{EventSettings, StoreSettings};
use atrium_core::folder;

pub struct LazyWarehouse {
    location: Location,
    guard: Arc<dyn SchemaGuard>,
    opened: OnceLock<Warehouse>,
}

impl LazyWarehouse {
    pub fn new(
        stores: &StoreSettings,
        events: &EventSettings,
        guard: Arc<dyn SchemaGuard>,
    ) -> Self {
        let location = match &events.warehouse_url {
            Some(url) => Location::Remote { url: url.clone() },
            None => Location::Embedded {
                folder: stores.data_dir.join("events"),
                library: events.engine_library.clone(),
                program: events.engine_program.clone(),
                memory_mb: events.engine_memory_mb,
            },
        };
        Self { location, guard, opened: OnceLock::new() }
    }

    /// Whether it would answer now. Does not open it.
    pub fn is_up(&self) -> bool {
        self.opened.get().is_some_and(|store| store.state() == State::Up)
    }

    /// Whether it is a separate server, which runs before this one starts.
    pub fn is_remote(&self) -> bool {
        matches!(self.location, Location::Remote { .. })
    }

    /// The state in words, for operators.
    pub fn describe(&self) -> String {
        match self.opened.get().map(Warehouse::state) {
            None => "not started".to_owned(),
            Some(State::Starting) => "starting".to_owned(),
            Some(State::Up) => "ok".to_owned(),
            Some(State::Down { reason, .. }) => format!("down: {reason}"),
        }
    }

    /// The memory used by the engine's process, if one was started.
    pub fn engine_memory(&self) -> Option<u64> {
        self.opened.get().and_then(Warehouse::engine_memory)
    }

    /// Ends the engine, if one was started.
    pub async fn stop(&self) {
        if let Some(store) = self.opened.get() {
            store.stop().await;
        }
    }
}

impl Deref for LazyWarehouse {
    type Target = Warehouse;

    fn deref(&self) -> &Warehouse {
        self.opened.get_or_init(|| {
            if let Location::Embedded { folder, .. } = &self.location
                && let Err(error) = folder::make_private(folder)
            {
                // The engine will report it too, each time it starts.
                tracing::error!(%error, "the event store's folder");
            }
            Warehouse::open(self.location.clone()).guarded_by(self.guard.clone())
        })
    }
}
