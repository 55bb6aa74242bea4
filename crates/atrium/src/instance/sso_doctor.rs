//! What `atrium doctor` asks about single sign-on.

use crate::instance::doctor::{Finding, Verdict, finding};
use atrium_core::config::SsoSettings;
use atrium_core::db::Db;
use atrium_tenancy::sso::{dns, domain};
use atrium_tenancy::sso_provider::discovery as provider;
use atrium_tenancy::sso_provider::network::ProviderClient;
use atrium_tenancy::store::sso as store;

const WHAT: &str = "sso";

/// Every provider that is on. One that is down is somebody else's trouble: a warning.
pub async fn examine(settings: &SsoSettings, db: &Db) -> Vec<Finding> {
    let enabled = match db.read().await {
        Ok(mut db) => store::enabled(&mut db).await,
        Err(error) => Err(error),
    };
    let enabled = match enabled {
        Ok(enabled) => enabled,
        Err(error) => return vec![finding(Verdict::Failure, WHAT, error.to_string())],
    };
    if enabled.is_empty() {
        return vec![finding(Verdict::Ok, WHAT, "no team uses it")];
    }
    let mut findings = vec![name_server(settings).await];
    let outside = match ProviderClient::new(settings) {
        Ok(outside) => outside,
        Err(error) => return vec![finding(Verdict::Failure, WHAT, format!("{error:#}"))],
    };
    for (_, name, issuer) in enabled {
        findings.push(match provider::discover(&outside, settings, &issuer).await {
            Ok(_) => finding(Verdict::Ok, WHAT, format!("{name}: {issuer}")),
            Err(reason) => {
                let text = format!("{name}: {issuer} cannot be used, {reason}");
                finding(Verdict::Warning, WHAT, text)
            }
        });
    }
    findings
}

/// Whether domains can be looked up: a name that does not exist is an answer, too.
async fn name_server(settings: &SsoSettings) -> Finding {
    const WHAT: &str = "dns";
    let name = settings.dns_server.map_or("the system's".to_owned(), |it| it.to_string());
    match dns::txt(settings, &domain::record_name("example.com")).await {
        dns::Answer::Records(_) => finding(Verdict::Ok, WHAT, name),
        dns::Answer::Unavailable => {
            let text = format!("{name}: no answer, so no team can prove a domain");
            finding(Verdict::Warning, WHAT, text)
        }
    }
}
