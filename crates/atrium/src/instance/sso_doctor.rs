//! The checks of `atrium doctor` for single sign-on.

use super::doctor::Finding;
use atrium_core::config::SsoSettings;
use atrium_core::db::Db;
use atrium_tenancy::sso::{dns, domain};
use atrium_tenancy::sso_provider::discovery as provider;
use atrium_tenancy::sso_provider::network::ProviderClient;
use atrium_tenancy::store::sso as store;

const WHAT: &str = "sso";

/// Checks every enabled provider. One that is down is only a warning, because it is somebody else's
/// problem.
pub async fn examine(settings: &SsoSettings, db: &Db) -> Vec<Finding> {
    let enabled = match db.read().await {
        Ok(mut db) => store::enabled(&mut db).await,
        Err(error) => Err(error),
    };
    let enabled = match enabled {
        Ok(enabled) => enabled,
        Err(error) => {
            let advice = "Look at the database's own log";
            return vec![Finding::failure(WHAT, error.to_string(), advice)];
        }
    };
    if enabled.is_empty() {
        return vec![Finding::ok(WHAT, "no team uses it")];
    }
    let mut findings = vec![name_server(settings).await];
    let outside = match ProviderClient::new(settings) {
        Ok(outside) => outside,
        Err(error) => {
            let advice = "Check the sso_ and dns_server settings";
            return vec![Finding::failure(WHAT, format!("{error:#}"), advice)];
        }
    };
    for (_, name, issuer) in enabled {
        findings.push(match provider::discover(&outside, settings, &issuer).await {
            Ok(_) => Finding::ok(WHAT, format!("{name}: {issuer}")),
            Err(reason) => {
                let text = format!("{name}: {issuer} cannot be used, {reason}");
                let advice = "Tell the team's owners; the team's settings have a connection test";
                Finding::warning(WHAT, text, advice)
            }
        });
    }
    findings
}

/// Whether domains can be looked up; that a name does not exist is an answer too.
async fn name_server(settings: &SsoSettings) -> Finding {
    const WHAT: &str = "dns";
    let name = settings.dns_server.map_or("the system's".to_owned(), |it| it.to_string());
    match dns::txt(settings, &domain::record_name("example.com")).await {
        dns::Answer::Records(_) => Finding::ok(WHAT, name),
        dns::Answer::Unavailable => {
            let text = format!("{name}: no answer, so no team can verify a domain");
            let advice = "Set dns_server to a name server that this machine can reach";
            Finding::warning(WHAT, text, advice)
        }
    }
}
