//! Settings: a TOML file, overridden by `ATRIUM_*` variables, overridden by flags. Only this folder
//! reads files and the environment. `raw` is what people write; the structs here are what the program
//! uses: parsed, checked, with every default filled in.

mod backup;
pub mod cardinality;
pub mod chat;
mod events;
mod raw;
mod reads;
pub(crate) mod region;
mod reports;
mod server;
mod sso;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;
use url::Url;
use utoipa::ToSchema;

pub use backup::BackupSettings;
pub use chat::{ChatSettings, FeishuSettings, Secret, WechatWorkSettings};
pub use events::{BudgetLimits, EventSettings};
pub use raw::{RawSettings, SettingsArgs};
pub use reads::ReadSettings;
pub use region::Region;
pub use reports::{Dsn, ReportSettings};
pub use server::{Hsts, PasswordCost, ServerSettings};
pub use sso::SsoSettings;

use crate::outbound::guard::Guard;
use crate::types::Millis;
use events::events;
use server::server;

#[derive(Clone, Debug)]
pub struct Settings {
    pub server: ServerSettings,
    pub stores: StoreSettings,
    pub events: EventSettings,
    pub reads: ReadSettings,
    pub console: ConsoleSettings,
    pub mail: MailSettings,
    pub chat: ChatSettings,
    pub reports: ReportSettings,
    pub sso: SsoSettings,
    /// None: no scheduled backups.
    pub backup: Option<BackupSettings>,
    /// How long owners and operators may go without a second factor; None for no limit.
    pub privileged_mfa_grace: Option<i64>,
    pub log: LogSettings,
}

/// Default size of the connection pool for PostgreSQL.
pub const DATABASE_CONNECTIONS: u32 = 20;

#[derive(Clone, Debug)]
pub struct StoreSettings {
    pub data_dir: PathBuf,
    pub database_url: String,
    /// Maximum number of connections to PostgreSQL.
    pub database_connections: u32,
    pub master_key: Option<String>,
    /// The key that `master_key` replaces.
    pub master_key_previous: Option<String>,
}

#[derive(Clone, Debug)]
pub struct ConsoleSettings {
    pub environment: String,
    /// The version that open consoles compare themselves with; by default that of the built-in console.
    pub build_version: Option<String>,
    pub build_message: Option<String>,
    pub registration: Registration,
    pub watermark: bool,
    pub regions: Vec<Region>,
    /// The app to which the console reports its own use.
    pub app_key: Option<String>,
}

impl ConsoleSettings {
    /// The region for new apps unless one is chosen: the first in the list.
    pub fn default_region(&self) -> &str {
        self.regions.first().map_or(region::LOCAL, |region| region.region.as_str())
    }

    /// Whether this instance serves the region's apps. Apps in a region that was removed from the
    /// settings are shown here.
    pub fn is_local(&self, region: &str) -> bool {
        region == region::LOCAL || self.endpoint(region).is_none()
    }

    pub fn endpoint(&self, region: &str) -> Option<&str> {
        self.regions
            .iter()
            .find(|known| known.region == region)
            .map(|known| known.endpoint.as_str())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Registration {
    Open,
    Invite,
}

#[derive(Clone, Debug)]
pub struct MailSettings {
    /// None: mails are written to files.
    pub smtp: Option<Url>,
    pub from: String,
}

#[derive(Clone, Debug)]
pub struct LogSettings {
    pub filter: String,
    pub json: bool,
}

impl Settings {
    /// Checks everything and fills in the defaults. An error is one sentence that names the setting.
    pub fn check(raw: RawSettings) -> anyhow::Result<Self> {
        let server = server(&raw)?;
        let console = console(&raw, &server.public_url)?;
        let stores = stores(&raw)?;
        let (events, reads) = (events(&raw)?, reads::check(&raw)?);
        let mail = mail(&raw, &server.public_url)?;
        let (chat, reports) = (chat::check(&raw)?, reports::check(&raw)?);
        let sso = sso::check(&raw, console.registration)?;
        let privileged_mfa_grace = privileged_mfa(&raw)?;
        let (backup, log) = (backup::check(&raw)?, log(&raw)?);
        Ok(Self {
            server,
            stores,
            events,
            reads,
            console,
            mail,
            chat,
            reports,
            sso,
            backup,
            privileged_mfa_grace,
            log,
        })
    }

    /// For a server that may take any free port: its address is known only once it listens.
    pub fn listening_on(mut self, address: SocketAddr) -> Self {
        if self.server.public_url_follows_listen {
            let old = self.server.public_url.clone();
            let _ = self.server.public_url.set_port(Some(address.port()));
            for region in &mut self.console.regions {
                if region.endpoint == origin_text(&old) {
                    region.endpoint = origin_text(&self.server.public_url);
                }
            }
        }
        self.server.listen = address;
        self
    }
}

fn privileged_mfa(raw: &RawSettings) -> anyhow::Result<Option<i64>> {
    let days = raw.privileged_mfa_grace_days.unwrap_or(14);
    if !(0..=365).contains(&days) {
        bail!("privileged_mfa_grace_days: {days} is not between 0 and 365");
    }
    Ok(raw.privileged_mfa.unwrap_or(true).then_some(days * Millis::DAY))
}

fn stores(raw: &RawSettings) -> anyhow::Result<StoreSettings> {
    let data_dir = raw.data_dir.clone().unwrap_or_else(|| PathBuf::from("data"));
    let database_url = match &raw.database_url {
        Some(url) if url.contains(":memory:") || url.contains("mode=memory") => {
            bail!("database_url: a database in memory would lose everything at the next start")
        }
        Some(url) if ["sqlite:", "postgres:", "postgresql:"].iter().any(|s| url.starts_with(s)) => {
            url.clone()
        }
        // Do not repeat the value: it may hold a password.
        Some(_) => bail!("database_url: must begin with postgres:// or sqlite:"),
        None => sqlite_url(&data_dir).context("data_dir")?,
    };
    let database_connections = raw.database_connections.unwrap_or(DATABASE_CONNECTIONS);
    if !(4..=1_000).contains(&database_connections) {
        bail!("database_connections: {database_connections} is not between 4 and 1000");
    }
    let (master_key, master_key_previous) =
        (raw.master_key.clone(), raw.master_key_previous.clone());
    if master_key.is_none() && master_key_previous.is_some() {
        bail!(
            "master_key_previous: also requires master_key; in a key file, it is the second line"
        );
    }
    Ok(StoreSettings {
        data_dir,
        database_url,
        database_connections,
        master_key,
        master_key_previous,
    })
}

fn console(raw: &RawSettings, public_url: &Url) -> anyhow::Result<ConsoleSettings> {
    let registration = match raw.registration.as_deref() {
        None | Some("open") => Registration::Open,
        Some("invite") => Registration::Invite,
        Some(other) => bail!("registration: {other:?} is neither \"open\" nor \"invite\""),
    };
    let local = Region::local(origin_text(public_url));
    Ok(ConsoleSettings {
        environment: raw.environment.clone().unwrap_or_else(|| "production-front".to_owned()),
        build_version: raw.build_version.clone(),
        build_message: raw.build_message.clone(),
        registration,
        watermark: raw.watermark.unwrap_or(true),
        regions: region::check(raw.regions.as_deref(), local)?,
        app_key: raw.console_app_key.clone(),
    })
}

fn mail(raw: &RawSettings, public_url: &Url) -> anyhow::Result<MailSettings> {
    let smtp = match &raw.smtp_url {
        // Do not repeat the value: it may hold a password.
        Some(text) => {
            let url = Url::parse(text).ok();
            let url = url.filter(|url| matches!(url.scheme(), "smtp" | "smtps") && url.has_host());
            let url = url.filter(|url| Guard::Operator.allows_url(url));
            Some(url.context("smtp_url: must look like smtps://user:password@host")?)
        }
        None => None,
    };
    let host = public_url.host_str().unwrap_or("localhost");
    // A mail address needs a name after its @, not a number.
    let domain = if host.contains(|c: char| c.is_ascii_alphabetic()) && !host.contains(':') {
        host
    } else {
        "localhost"
    };
    let from = raw.mail_from.clone().unwrap_or_else(|| format!("Atrium <atrium@{domain}>"));
    from.parse::<lettre::message::Mailbox>().ok().with_context(|| {
        format!("mail_from: {from:?} is not an address such as Atrium <atrium@example.com>")
    })?;
    Ok(MailSettings { smtp, from })
}

fn log(raw: &RawSettings) -> anyhow::Result<LogSettings> {
    let filter = raw.log.clone().unwrap_or_else(|| "info".to_owned());
    filter
        .parse::<tracing_subscriber::filter::Targets>()
        .with_context(|| format!("log: {filter:?} is not a level or a filter such as info"))?;
    let json = match raw.log_format.as_deref() {
        None | Some("text") => false,
        Some("json") => true,
        Some(other) => bail!("log_format: {other:?} is neither \"text\" nor \"json\""),
    };
    Ok(LogSettings { filter, json })
}

/// An origin to build links from: http or https, and nothing after the host.
fn web_address(setting: &str, text: &str) -> anyhow::Result<Url> {
    let url = Url::parse(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.host().is_some()
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    });
    url.with_context(|| {
        format!("{setting}: {text:?} is not an address such as https://atrium.example.com, without a path")
    })
}

fn origin_text(url: &Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}

/// The address of an embedded database in `folder`.
pub fn sqlite_url(folder: &Path) -> anyhow::Result<String> {
    let file = std::path::absolute(folder)?.join("atrium.db");
    let url = Url::from_file_path(&file)
        .map_err(|()| anyhow::anyhow!("{} cannot hold a database", file.display()))?;
    Ok(format!("sqlite://{}?mode=rwc", url.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(raw: RawSettings) -> String {
        Settings::check(raw).unwrap_err().to_string()
    }

    #[test]
    fn defaults_run_on_loopback_with_embedded_stores() {
        let settings = Settings::check(RawSettings::default()).unwrap();
        assert_eq!(settings.server.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(settings.server.public_url.as_str(), "http://127.0.0.1:8080/");
        assert!(settings.stores.database_url.starts_with("sqlite:///"));
        assert_eq!(settings.console.environment, "production-front");
        assert_eq!(settings.console.default_region(), "local");
        assert_eq!(settings.console.endpoint("local"), Some("http://127.0.0.1:8080"));
    }

    #[test]
    fn a_wrong_setting_is_named_with_its_reason() {
        let some = |text: &str| Some(text.to_owned());
        let cases = [
            (RawSettings { listen: some("8080"), ..Default::default() }, "listen: \"8080\""),
            (RawSettings { public_url: some("ftp://x"), ..Default::default() }, "public_url: "),
            (
                RawSettings { public_url: some("https://x/app"), ..Default::default() },
                "public_url: ",
            ),
            (
                RawSettings { registration: some("maybe"), ..Default::default() },
                "registration: \"maybe\"",
            ),
            (RawSettings { log_format: some("xml"), ..Default::default() }, "log_format: \"xml\""),
            (
                RawSettings { database_connections: Some(3), ..Default::default() },
                "database_connections: 3",
            ),
            (RawSettings { max_connections: Some(1), ..Default::default() }, "max_connections: 1"),
            (
                RawSettings { trusted_proxies: Some(vec!["ten".into()]), ..Default::default() },
                "trusted_proxies: \"ten\"",
            ),
            (RawSettings { smtp_url: some("http://x"), ..Default::default() }, "smtp_url: "),
            (
                RawSettings { max_event_names: Some(0), ..Default::default() },
                "max_event_names: must be between 1 and 100000",
            ),
            (
                RawSettings { max_field_values: Some(100_001), ..Default::default() },
                "max_field_values: ",
            ),
            (
                RawSettings { smtp_url: some("smtp://169.254.169.254"), ..Default::default() },
                "smtp_url: ",
            ),
            (
                RawSettings { warehouse_url: some("http://168.63.129.16"), ..Default::default() },
                "warehouse_url: ",
            ),
            (
                RawSettings { warehouse_url: some("http://a/b?clsuter=c"), ..Default::default() },
                "warehouse_url: `clsuter`",
            ),
            (
                RawSettings {
                    warehouse_url: some("http://a/b?cluster=c&shards=168.63.129.16"),
                    ..Default::default()
                },
                "warehouse_url: a shard",
            ),
            (RawSettings { hsts: some("always"), ..Default::default() }, "hsts: \"always\""),
            (RawSettings { mail_from: some("nobody"), ..Default::default() }, "mail_from: "),
            (
                RawSettings { provider_timeout_ms: Some(99), ..Default::default() },
                "provider_timeout_ms: 99 is not between 100 and 30000",
            ),
            (
                RawSettings { provider_timeout_ms: Some(30_001), ..Default::default() },
                "provider_timeout_ms: 30001",
            ),
            (RawSettings { metrics_token: some("short"), ..Default::default() }, "metrics_token: "),
        ];
        for (raw, beginning) in cases {
            let text = refused(raw);
            assert!(text.starts_with(beginning), "{text}");
        }
    }

    #[test]
    fn a_wrong_database_url_is_not_repeated() {
        let raw = RawSettings {
            database_url: Some("mysql://root:hunter2@db/atrium".into()),
            ..Default::default()
        };
        assert!(!refused(raw).contains("hunter2"));
    }

    #[test]
    fn a_free_port_reaches_the_links() {
        let raw = RawSettings { listen: Some("127.0.0.1:0".into()), ..Default::default() };
        let settings = Settings::check(raw).unwrap();
        let settings = settings.listening_on("127.0.0.1:4242".parse().unwrap());
        assert_eq!(settings.server.link("/login"), "http://127.0.0.1:4242/login");
        assert_eq!(settings.console.endpoint("local"), Some("http://127.0.0.1:4242"));
    }

    #[test]
    fn a_free_port_leaves_a_given_public_url_alone() {
        let raw = RawSettings {
            listen: Some("127.0.0.1:0".into()),
            public_url: Some("https://atrium.example.com".into()),
            ..Default::default()
        };
        let settings = Settings::check(raw).unwrap();
        let settings = settings.listening_on("127.0.0.1:4242".parse().unwrap());
        assert_eq!(settings.server.link("/login"), "https://atrium.example.com/login");
    }
}
