//! An external collector of error reports, if the settings name one. Its address comes only from the
//! settings, whatever an envelope says.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::sync::Semaphore;
use url::Url;

use super::count;
use atrium_core::config::Dsn;
use atrium_core::http::CLIENT_VERSION;
use atrium_core::outbound::guard::{Guard, GuardedNames};

const TIMEOUT: Duration = Duration::from_secs(10);
/// How many are forwarded at once, so that a hanging collector does not make them pile up in memory.
const UNDERWAY_MAX: usize = 16;

pub struct Upstream {
    client: reqwest::Client,
    url: Url,
    auth: String,
    turns: Arc<Semaphore>,
}

impl Upstream {
    pub fn new(dsn: &Dsn) -> anyhow::Result<Self> {
        let client = http_client::builder()
            .timeout(TIMEOUT)
            // Only the address in the settings is used.
            .redirect(reqwest::redirect::Policy::none())
            .dns_resolver(Arc::new(GuardedNames(Guard::Operator)))
            .user_agent(format!("atrium/{CLIENT_VERSION}"))
            .build()
            .context("error_reports_dsn")?;
        let auth = format!(
            "Sentry sentry_version=7, sentry_client=atrium/{CLIENT_VERSION}, sentry_key={}",
            dsn.key()
        );
        let turns = Arc::new(Semaphore::new(UNDERWAY_MAX));
        Ok(Self { client, url: dsn.endpoint(), auth, turns })
    }

    /// Forwards it in the background, and counts the outcome for each kind.
    pub fn send(self: Arc<Self>, envelope: Vec<u8>, kinds: Vec<&'static str>) {
        let Ok(turn) = self.turns.clone().try_acquire_owned() else {
            kinds.into_iter().for_each(|kind| count(kind, "dropped"));
            return;
        };
        tokio::spawn(async move {
            let outcome = match self.post(envelope).await {
                Ok(()) => "forwarded",
                Err(error) => {
                    // Without the URL, which contains a key.
                    tracing::warn!(error = %error.without_url(), "an error report could not be forwarded");
                    "failed"
                }
            };
            kinds.into_iter().for_each(|kind| count(kind, outcome));
            drop(turn);
        });
    }

    async fn post(&self, envelope: Vec<u8>) -> reqwest::Result<()> {
        self.client
            .post(self.url.clone())
            .header("content-type", "application/x-sentry-envelope")
            .header("x-sentry-auth", &self.auth)
            .body(envelope)
            .send()
            .await?
            .error_for_status()?;
        Ok(())
    }
}
