//! What every handler may reach. Built once at start; nothing else in the program is global.

use std::ops::Deref;
use std::sync::Arc;

use anyhow::Context;
use tokio::sync::Notify;

use crate::accounts::factors::relying_party::{self, RelyingParty};
use crate::accounts::password::Hasher;
use crate::accounts::privileged::PrivilegedMfa;
use crate::accounts::session::SessionCache;
use crate::audit::refusals::Refusals;
use crate::chat::Chat;
use crate::collect::Collector;
use crate::collect::lazy_warehouse::LazyWarehouse;
use crate::config::Settings;
use crate::db::Db;
use crate::folder;
use crate::http::cookies::CookieName;
use crate::http::previous_builds::PreviousBuilds;
use crate::insight::cache::Answers;
use crate::insight::fair_queue::FairQueue;
use crate::instance::first_start;
use crate::keyring::Keyring;
use crate::keys;
use crate::metrics::Metrics;
use crate::outbound::mail::{Outbox, Transport};
use crate::reports::Reports;
use crate::sso::Sso;
use crate::types::{Clock, Entropy, Id, Millis};

#[derive(Clone)]
pub struct AppState(Arc<Inner>);

pub struct Inner {
    pub settings: Settings,
    pub db: Db,
    pub clock: Clock,
    pub entropy: Entropy,
    pub keyring: Keyring,
    pub hasher: Hasher,
    pub sessions: SessionCache,
    /// Whether owners and operators need a second factor.
    pub privileged_mfa: PrivilegedMfa,
    pub session_cookie: CookieName,
    pub device_cookie: CookieName,
    pub code_cookie: CookieName,
    pub mfa_cookie: CookieName,
    pub ceremony_cookie: CookieName,
    /// Ties trips to outside providers to the browser that set out.
    pub flow_cookie: CookieName,
    /// Holds what a provider said until the account it is about has signed in by its own means.
    pub link_cookie: CookieName,
    /// None where passkeys cannot work.
    pub relying_party: Option<RelyingParty>,
    pub metrics: Metrics,
    /// What callers were refused, until the audit log has it.
    pub refusals: Refusals,
    pub mail: Transport,
    pub outbox: Outbox,
    /// Work chat, where it is set up.
    pub chat: Chat,
    pub wake: Wake,
    pub collector: Collector,
    /// Where events end up. Nothing starts before something asks it.
    pub warehouse: LazyWarehouse,
    pub answers: Answers,
    /// Where questions to the warehouse wait for their turn.
    pub reads: FairQueue,
    /// None where the console reports no errors.
    pub reports: Option<Reports>,
    pub sso: Sso,
    /// The console's files of other builds.
    pub previous_builds: PreviousBuilds,
}

/// Rings for background work that should not wait for its hour.
#[derive(Default)]
pub struct Wake {
    pub erasures: Notify,
}

impl Deref for AppState {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl AppState {
    /// Opens the stores, brings the schema up to date and finds the master key.
    pub async fn start(settings: Settings, clock: Clock) -> anyhow::Result<Self> {
        first_start::refuse_missing_file(&settings.stores)?;
        let stores = settings.stores.clone();
        Self::start_if(settings, clock, || first_start::refuse_lost_database(&stores)).await
    }

    /// The same with an empty database, also where the folder was in use.
    pub async fn start_anew(settings: Settings, clock: Clock) -> anyhow::Result<Self> {
        Self::start_if(settings, clock, || Ok(())).await
    }

    async fn start_if(
        settings: Settings,
        clock: Clock,
        may_be_new: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let entropy = Entropy;
        folder::make_private(&settings.stores.data_dir).context("data_dir")?;
        folder::check_writable(&settings.stores.data_dir).context("data_dir")?;
        let db = Db::open(&settings.stores.database_url).await.context("database_url")?;
        let applied = db.migrate(may_be_new).await?;
        if applied > 0 {
            tracing::info!(applied, "the database schema was brought up to date");
        }
        let keyring = Keyring::open(&settings.stores, &db, &entropy).await?;
        let privileged_mfa = PrivilegedMfa::open(&settings, &db, clock.now()).await?;
        let mail = Transport::new(&settings.mail, &settings.stores.data_dir)?;
        let reports = Reports::open(&settings.reports, &settings.server.public_url, &keyring)?;
        let https = settings.server.is_https();
        let atrium = Self(Arc::new(Inner {
            db,
            clock,
            entropy,
            keyring,
            hasher: Hasher::new(settings.server.password_cost),
            sessions: SessionCache::new(),
            privileged_mfa,
            session_cookie: CookieName::new("atrium_session", https),
            device_cookie: CookieName::new("atrium_device", https),
            code_cookie: CookieName::new("atrium_code", https),
            mfa_cookie: CookieName::new("atrium_mfa", https),
            ceremony_cookie: CookieName::new("atrium_ceremony", https),
            flow_cookie: CookieName::new("atrium_flow", https),
            link_cookie: CookieName::new("atrium_link", https),
            relying_party: relying_party::of(&settings.server)?,
            metrics: Metrics::install()?,
            refusals: Refusals::default(),
            mail,
            outbox: Outbox::default(),
            chat: Chat::open(&settings.chat)?,
            wake: Wake::default(),
            collector: Collector::open(&settings.stores.data_dir, &settings.events)?,
            warehouse: LazyWarehouse::new(&settings.stores, &settings.events),
            answers: Answers::default(),
            reads: settings.reads.queue(),
            reports,
            sso: Sso::new(&settings.sso)?,
            previous_builds: PreviousBuilds::new(&settings.stores.data_dir),
            settings,
        }));
        keys::fill_missing(&atrium).await?;
        Ok(atrium)
    }

    pub fn now(&self) -> Millis {
        self.clock.now()
    }

    pub fn new_id(&self) -> Id {
        self.entropy.id(self.now())
    }
}
