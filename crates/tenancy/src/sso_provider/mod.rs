//! Organizations' OpenID providers, without regard to accounts: calls to them, and what they say about
//! themselves.

pub mod discovery;
pub mod network;

use atrium_core::config::SsoSettings;

use discovery::Slots;
use network::ProviderClient;

/// The instance's state for all organizations' providers.
pub struct Sso {
    pub client: ProviderClient,
    slots: Slots,
}

impl Sso {
    pub fn new(settings: &SsoSettings) -> anyhow::Result<Self> {
        Ok(Self { client: ProviderClient::new(settings)?, slots: discovery::no_slots() })
    }
}
