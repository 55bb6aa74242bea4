//! Errors of the console in people's browsers: received at a URL of our own, and either forwarded to an
//! external collector, if one is configured, or stored here for operators (docs/decisions/0017).

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
/// How long a report is stored.
pub const LASTING: i64 = 30 * Millis::DAY;

/// Envelopes per minute, through one instance. A replay sends a dozen, an error two.
const PER_PERSON: u64 = 120;
const PER_ADDRESS: u64 = 600;
const PER_ADDRESS_OF_STRANGERS: u64 = 30;

/// Receives reports. Does not exist if reporting is off.
pub struct Reports {
    /// The public key of the console's DSN, by which its reports are recognized.
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

    /// Whether reports are stored here for operators.
    pub fn are_kept(&self) -> bool {
        self.upstream.is_none()
    }
}

/// A DSN that a browser's reporting client accepts. Nothing listens at it: the client sends to the
/// tunnel, and the address of an external collector never leaves the server.
fn own_dsn(public_url: &Url, key: &str) -> String {
    let host = public_url.host_str().unwrap_or("localhost");
    let port = public_url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{key}@{host}{port}/1", public_url.scheme())
}

/// Deletes expired reports, and the oldest ones beyond the size limit.
pub async fn sweep(atrium: &Core, reports: Option<&Reports>) -> Result<u64> {
    let mut tx = atrium.db.write_relaxed().await?;
    let mut gone = store::delete_before(&mut tx, atrium.now().plus(-LASTING)).await?;
    if let Some(reports) = reports {
        gone += store::trim(&mut tx, reports.max_bytes).await?;
    }
    tx.commit().await?;
    Ok(gone)
}

/// The possible outcomes for a part of a report.
pub const OUTCOMES: [&str; 4] = ["kept", "forwarded", "failed", "dropped"];

/// Counts the outcome for a part of a report.
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
