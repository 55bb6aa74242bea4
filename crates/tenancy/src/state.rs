//! The state that people, organizations, apps and keys need beyond the core.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::FromRef;

use crate::chat_vendor::Chat;
use crate::key_uses::GatheredUses;
use crate::password::Hasher;
use crate::privileged_mfa::PrivilegedMfa;
use crate::relying_party::{self, RelyingParty};
use crate::session_cache::SessionCache;
use crate::sso_provider::Sso;
use atrium_core::Core;
use atrium_core::http::cookies::CookieName;

#[derive(Clone)]
pub struct Tenancy(Arc<TenancyParts>);

pub struct TenancyParts {
    core: Core,
    pub hasher: Hasher,
    pub sessions: SessionCache,
    /// Whether owners and operators need a second factor.
    pub privileged_mfa: PrivilegedMfa,
    pub session_cookie: CookieName,
    pub device_cookie: CookieName,
    pub code_cookie: CookieName,
    pub mfa_cookie: CookieName,
    pub ceremony_cookie: CookieName,
    /// Ties OAuth flows to the browser that started them.
    pub flow_cookie: CookieName,
    /// Holds what a provider said until the account's owner has signed in some other way.
    pub link_cookie: CookieName,
    /// None if passkeys cannot work.
    pub relying_party: Option<RelyingParty>,
    /// Work chat, if configured.
    pub chat: Chat,
    pub sso: Sso,
    /// When keys were used, until it is written to the database.
    pub key_uses: GatheredUses,
}

impl Deref for Tenancy {
    type Target = TenancyParts;

    fn deref(&self) -> &TenancyParts {
        &self.0
    }
}

impl Deref for TenancyParts {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl FromRef<Tenancy> for Core {
    fn from_ref(state: &Tenancy) -> Self {
        state.core.clone()
    }
}

impl Tenancy {
    pub async fn open(core: Core) -> anyhow::Result<Self> {
        let settings = &core.settings;
        let https = settings.server.is_https();
        let privileged_mfa = PrivilegedMfa::open(settings, &core.db, core.now()).await?;
        Ok(Self(Arc::new(TenancyParts {
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
            chat: Chat::open(&settings.chat)?,
            sso: Sso::new(&settings.sso)?,
            key_uses: GatheredUses::default(),
            core,
        })))
    }
}
