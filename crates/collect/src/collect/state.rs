//! What receiving and storing events needs.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRef;
use tokio::sync::Notify;

use super::Collector;
use super::lazy_warehouse::LazyWarehouse;
use super::schema_lease::SchemaLease;
use atrium_core::Core;
use atrium_tenancy::Tenancy;

#[derive(Clone)]
pub struct Collecting(Arc<CollectingParts>);

pub struct CollectingParts {
    tenancy: Tenancy,
    pub collector: Collector,
    /// Where events end up. It is not started before it is first used.
    pub warehouse: LazyWarehouse,
    pub wake: Wake,
}

/// Wakes background work that should not wait for its schedule.
#[derive(Default)]
pub struct Wake {
    pub erasures: Notify,
}

impl Deref for Collecting {
    type Target = CollectingParts;

    fn deref(&self) -> &CollectingParts {
        &self.0
    }
}

impl Deref for CollectingParts {
    type Target = Tenancy;

    fn deref(&self) -> &Tenancy {
        &self.tenancy
    }
}

impl FromRef<Collecting> for Core {
    fn from_ref(state: &Collecting) -> Self {
        Self::clone(state)
    }
}

impl FromRef<Collecting> for Tenancy {
    fn from_ref(state: &Collecting) -> Self {
        Self::clone(state)
    }
}

impl Collecting {
    pub fn open(tenancy: Tenancy) -> anyhow::Result<Self> {
        let settings = &tenancy.settings;
        let collector = Collector::open(&settings.stores.data_dir, &settings.events)?;
        let guard = Arc::new(SchemaLease::new(Core::clone(&tenancy), &collector.spool.name));
        Ok(Self(Arc::new(CollectingParts {
            collector,
            warehouse: LazyWarehouse::new(&settings.stores, &settings.events, guard),
            wake: Wake::default(),
            tenancy,
        })))
    }
}
