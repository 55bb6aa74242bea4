//! The findings of `atrium doctor` about the mail server. No mail is sent.

use std::time::Duration;

use super::doctor::Finding;
use atrium_core::config::Settings;
use atrium_core::mail::{MailCheck, Transport};

const WHAT: &str = "mail";
const LIMIT: Duration = Duration::from_secs(10);

pub async fn examine(settings: &Settings) -> Finding {
    let mail = &settings.mail;
    // Without the password.
    let server = mail.smtp.as_ref().map_or_else(String::new, |url| {
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or_default())
    });
    let checked = match Transport::new(mail, &settings.stores.data_dir) {
        Ok(transport) => transport.check(LIMIT).await,
        Err(error) => MailCheck::Refused(format!("{error:#}")),
    };
    match checked {
        MailCheck::NoServer => {
            Finding::ok(WHAT, "no smtp_url: mails become files in outbox/ in the data folder")
        }
        MailCheck::Ok => Finding::ok(WHAT, format!("{server} accepts mail from this machine")),
        MailCheck::Unreachable(error) => Finding::failure(
            WHAT,
            format!("{server}: {error}"),
            "Check the host and port in smtp_url, and that no firewall is in between; mails wait \
             for three days",
        ),
        MailCheck::Tls(error) => Finding::failure(
            WHAT,
            format!("{server}: TLS failed, {error}"),
            "Use the name in its certificate, and smtps:// for TLS from the start (port 465) or \
             smtp:// for STARTTLS (port 587); the certificate must come from a public authority",
        ),
        MailCheck::Refused(error) => Finding::failure(
            WHAT,
            format!("{server} refuses: {error}"),
            "Check user and password in smtp_url, and whether the server lets this machine send",
        ),
    }
}
