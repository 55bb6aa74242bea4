//! How a mail leaves: over SMTP, or as a file where no server is set, so that everything can be tried
//! offline.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use url::Url;

use super::Letter;
use crate::config::MailSettings;
use crate::types::{Id, Millis};

/// A server that takes longer than this for one step counts as down.
const STEP_TIMEOUT: Duration = Duration::from_secs(20);

pub struct Transport {
    from: Mailbox,
    delivery: Delivery,
}

enum Delivery {
    Smtp(AsyncSmtpTransport<Tokio1Executor>),
    Files(PathBuf),
}

impl Transport {
    pub fn new(settings: &MailSettings, data_dir: &Path) -> anyhow::Result<Self> {
        let from = settings.from.parse().context("mail_from")?;
        let delivery = match &settings.smtp {
            Some(url) => Delivery::Smtp(smtp(url)?),
            None => Delivery::Files(data_dir.join("outbox")),
        };
        Ok(Self { from, delivery })
    }

    pub async fn send(
        &self,
        id: &Id,
        to: &str,
        letter: &Letter,
        now: Millis,
    ) -> anyhow::Result<()> {
        let to = Mailbox::new(None, to.parse().context("the address is not valid")?);
        let auto = HeaderName::new_from_ascii_str("Auto-Submitted");
        let mut message = Message::builder()
            .from(self.from.clone())
            .to(to)
            .subject(&letter.subject)
            .message_id(Some(format!("<{id}@atrium>")))
            .multipart(MultiPart::alternative_plain_html(
                letter.text.clone(),
                letter.html.clone(),
            ))?;
        message.headers_mut().insert_raw(HeaderValue::new(auto, "auto-generated".to_owned()));
        match &self.delivery {
            Delivery::Smtp(smtp) => {
                smtp.send(message).await?;
            }
            Delivery::Files(folder) => write_file(folder, id, &message, now).await?,
        }
        Ok(())
    }
}

/// Whether the mail server would accept our mails.
#[derive(Debug)]
pub enum MailCheck {
    /// No server is configured: mails become files.
    NoServer,
    Ok,
    /// No connection, or no answer.
    Unreachable(String),
    /// Its certificate is not trusted, or it does not speak TLS.
    Tls(String),
    /// It answered, and refused us or our password.
    Refused(String),
}

impl Transport {
    /// Does everything short of sending a mail, including TLS and authentication.
    pub async fn check(&self, limit: Duration) -> MailCheck {
        let Delivery::Smtp(smtp) = &self.delivery else { return MailCheck::NoServer };
        let error = match tokio::time::timeout(limit, smtp.test_connection()).await {
            Err(_) => return MailCheck::Unreachable(format!("no answer in {} s", limit.as_secs())),
            Ok(Ok(true)) => return MailCheck::Ok,
            Ok(Ok(false)) => return MailCheck::Refused("it closed the connection".to_owned()),
            Ok(Err(error)) => error,
        };
        let words = error.to_string();
        if error.is_tls() || is_about_tls(&error) {
            MailCheck::Tls(words)
        } else if error.is_permanent() || error.is_transient() || error.is_client() {
            MailCheck::Refused(words)
        } else {
            MailCheck::Unreachable(words)
        }
    }
}

/// A failed TLS handshake is reported as a failed connection with malformed data.
fn is_about_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::InvalidData)
}

async fn write_file(folder: &Path, id: &Id, message: &Message, now: Millis) -> anyhow::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let file = folder.join(format!("{}-{id}.eml", now.0));
    let (folder, path, bytes) = (folder.to_owned(), file.clone(), message.formatted());
    tokio::task::spawn_blocking(move || -> anyhow::Result<()> {
        use std::os::unix::fs::DirBuilderExt;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        // Written under a temporary name first, so that only complete mails appear in the folder.
        let draft = path.with_extension("part");
        let mut out = std::fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&draft)?;
        std::io::Write::write_all(&mut out, &bytes)?;
        out.sync_all()?;
        std::fs::rename(&draft, &path)?;
        Ok(())
    })
    .await??;
    tracing::info!(file = %file.display(), "no mail server is set; the mail was written to this file");
    Ok(())
}

/// `smtps://` uses TLS from the start; `smtp://` upgrades with STARTTLS and fails without it, except on
/// this machine.
fn smtp(url: &Url) -> anyhow::Result<AsyncSmtpTransport<Tokio1Executor>> {
    // The URL parser leaves IP addresses as text for schemes that browsers do not know.
    let host = url.host_str().context("smtp_url has no host")?.trim_matches(['[', ']']);
    let address = host.parse::<std::net::IpAddr>();
    let on_this_machine = host == "localhost" || address.is_ok_and(|ip| ip.is_loopback());
    let mut builder = match url.scheme() {
        "smtps" => AsyncSmtpTransport::<Tokio1Executor>::relay(host)?,
        _ if on_this_machine => AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host),
        _ => AsyncSmtpTransport::<Tokio1Executor>::starttls_relay(host)?,
    };
    if let Some(port) = url.port() {
        builder = builder.port(port);
    } else if url.scheme() == "smtp" && on_this_machine {
        builder = builder.port(25);
    }
    if !url.username().is_empty() {
        let decode = |text: &str| {
            percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
        };
        let password = decode(url.password().unwrap_or_default());
        builder = builder.credentials(Credentials::new(decode(url.username()), password));
    }
    Ok(builder.timeout(Some(STEP_TIMEOUT)).build())
}
