//! The state of the whole program, combining those of all layers. Built once at start.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRef;
use tokio::sync::{Mutex, watch};

use crate::console::build_version;
use crate::console::previous_builds::PreviousBuilds;
use crate::first_start;
use crate::reports::Reports;
use atrium_collect::Collecting;
use atrium_core::Core;
use atrium_core::config::Settings;
use atrium_core::types::{Clock, Millis};
use atrium_insight::Insight;
use atrium_tenancy::Tenancy;
use atrium_tenancy::keys;

#[derive(Clone)]
pub struct AppState(Arc<AppParts>);

pub struct AppParts {
    insight: Insight,
    pub started_at: Millis,
    /// Held while the heartbeat is written; true once this instance has signed off.
    pub has_left: Mutex<bool>,
    /// Set when a newer program has changed the stores so that this one may no longer use them; says
    /// why.
    pub outdated: watch::Sender<Option<String>>,
    /// Open consoles compare their own version with this.
    pub build_version: String,
    /// None if error reports are turned off.
    pub reports: Option<Arc<Reports>>,
    /// The console's files of other builds.
    pub previous_builds: Arc<PreviousBuilds>,
}

impl Deref for AppState {
    type Target = AppParts;

    fn deref(&self) -> &AppParts {
        &self.0
    }
}

impl Deref for AppParts {
    type Target = Insight;

    fn deref(&self) -> &Insight {
        &self.insight
    }
}

impl FromRef<AppState> for Core {
    fn from_ref(state: &AppState) -> Self {
        Self::clone(state)
    }
}

impl FromRef<AppState> for Tenancy {
    fn from_ref(state: &AppState) -> Self {
        Self::clone(state)
    }
}

impl FromRef<AppState> for Collecting {
    fn from_ref(state: &AppState) -> Self {
        Self::clone(state)
    }
}

impl FromRef<AppState> for Insight {
    fn from_ref(state: &AppState) -> Self {
        Self::clone(state)
    }
}

impl FromRef<AppState> for Arc<PreviousBuilds> {
    fn from_ref(state: &AppState) -> Self {
        state.previous_builds.clone()
    }
}

impl FromRef<AppState> for Option<Arc<Reports>> {
    fn from_ref(state: &AppState) -> Self {
        state.reports.clone()
    }
}

impl AppState {
    /// Opens the stores, brings the schema up to date and finds the master key.
    pub async fn start(settings: Settings, clock: Clock) -> anyhow::Result<Self> {
        first_start::refuse_missing_file(&settings.stores)?;
        let stores = settings.stores.clone();
        Self::start_if(settings, clock, || first_start::refuse_lost_database(&stores)).await
    }

    /// The same, but allows an empty database even if the folder was in use.
    pub async fn start_anew(settings: Settings, clock: Clock) -> anyhow::Result<Self> {
        Self::start_if(settings, clock, || Ok(())).await
    }

    async fn start_if(
        settings: Settings,
        clock: Clock,
        may_be_new: impl Fn() -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<Self> {
        let core = Core::open(settings, clock, may_be_new).await?;
        let settings = &core.settings;
        let reports = Reports::open(&settings.reports, &settings.server.public_url, &core.keyring)?;
        let reports = reports.map(Arc::new);
        let previous_builds = Arc::new(PreviousBuilds::new(&settings.stores.data_dir));
        let build_version = settings.console.build_version.clone().unwrap_or_else(build_version);
        let tenancy = Tenancy::open(core).await?;
        let insight = Insight::new(Collecting::open(tenancy)?);
        keys::fill_missing(&insight).await?;
        Ok(Self(Arc::new(AppParts {
            started_at: insight.now(),
            has_left: Mutex::new(false),
            outdated: watch::Sender::default(),
            insight,
            build_version,
            reports,
            previous_builds,
        })))
    }
}
