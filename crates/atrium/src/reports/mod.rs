//! Errors of the console in people's browsers: taken at an address of our own, passed on to an
//! outside collector where one is set, else kept here for those who run the instance
//! (docs/decisions/0017).

pub mod envelope;
pub mod event;
pub mod handlers;
pub mod receive;
pub mod replay;
pub mod store;
mod upstream;

use std::net::IpAddr;
use std::sync::Arc;

use url::Url;

use atrium_collect::collect::quota::Quota;
use atrium_core::Core;
use atrium_core::config::ReportSettings;
use atrium_core::error::Result;
use atrium_core::keyring::{Keyring, mac};
use atrium_core::types::{Id, Millis};
use upstream::Upstream;

/// Where the console sends its reports to.
pub const TUNNEL: &str = "/api/v1/error-reports";
/// How long a report is kept.
pub const LASTING: i64 = 30 * Millis::DAY;

/// Envelopes in a minute, through one instance. A replay sends a dozen, an error two.
const PER_PERSON: u64 = 120;
const PER_ADDRESS: u64 = 600;
const PER_ADDRESS_OF_STRANGERS: u64 = 30;

/// What takes reports. There is none where reporting is off.
pub struct Reports {
    /// The public half of the address the console is given: what its reports are known by.
    key: String,
    pub dsn: String,
    pub max_bytes: i64,
    upstream: Option<Arc<Upstream>>,
    people: Quota<Id>,
    addresses: Quota<IpAddr>,
    strangers: Quota<IpAddr>,
}

impl Reports {
    pub fn open(
        settings: &ReportSettings,
        public_url: &Url,
        keyring: &Keyring,
    ) -> anyhow::Result<Option<Self>> {
        if !settings.enabled {
            return Ok(None);
        }
        let secret = mac(&keyring.derive("error-reports"), &[b"key"]);
        let key = hex::encode(&secret[..16]);
        Ok(Some(Self {
            dsn: own_dsn(public_url, &key),
            key,
            max_bytes: settings.max_bytes,
            upstream: settings.upstream.as_ref().map(Upstream::new).transpose()?.map(Arc::new),
            people: Quota::new(PER_PERSON),
            addresses: Quota::new(PER_ADDRESS),
            strangers: Quota::new(PER_ADDRESS_OF_STRANGERS),
        }))
    }

    /// Whether reports stay here for an operator to look at.
    pub fn are_kept(&self) -> bool {
        self.upstream.is_none()
    }
}

/// An address that a browser's reporting client accepts. Nothing listens there: it sends to the
/// tunnel, and what an outside collector is called never leaves the server.
fn own_dsn(public_url: &Url, key: &str) -> String {
    let host = public_url.host_str().unwrap_or("localhost");
    let port = public_url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{key}@{host}{port}/1", public_url.scheme())
}

/// Removes what is past its time, and the oldest of what is too much.
pub async fn sweep(atrium: &Core, reports: Option<&Reports>) -> Result<u64> {
    let mut tx = atrium.db.write_relaxed().await?;
    let mut gone = store::delete_before(&mut tx, atrium.now().plus(-LASTING)).await?;
    if let Some(reports) = reports {
        gone += store::trim(&mut tx, reports.max_bytes).await?;
    }
    tx.commit().await?;
    Ok(gone)
}

/// What may become of a piece of a report.
pub const OUTCOMES: [&str; 4] = ["kept", "forwarded", "failed", "dropped"];

/// Counts what became of a piece of a report.
fn count(kind: &'static str, outcome: &'static str) {
    metrics::counter!("atrium_error_reports_total", "kind" => kind, "outcome" => outcome)
        .increment(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_the_console_is_given_names_our_own_host() {
        let dsn = |url: &str| own_dsn(&Url::parse(url).unwrap(), "abc");
        assert_eq!(dsn("https://atrium.example.com"), "https://abc@atrium.example.com/1");
        assert_eq!(dsn("http://127.0.0.1:8080"), "http://abc@127.0.0.1:8080/1");
    }
}
