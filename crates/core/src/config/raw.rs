//! Settings as people write them. One struct is the file, the variables and the flags at once, so
//! that the three can never know different settings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::chat::Secret;
use super::region::{self, Region};

#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct RawSettings {
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, env = "ATRIUM_LISTEN", value_name = "ADDRESS:PORT", global = true)]
    pub listen: Option<String>,

    /// Address that people open in the browser. Links in mails begin with it [default: http:// and the
    /// listen address]
    #[arg(long, env = "ATRIUM_PUBLIC_URL", value_name = "URL", global = true)]
    pub public_url: Option<String>,

    /// HTTPS policy sent to browsers if public_url is https. "on" (this host), "subdomains" (subdomains
    /// too), "preload" (the same, and browsers may build it in), or "off" [default: on]
    #[arg(long, env = "ATRIUM_HSTS", value_name = "MODE", global = true)]
    pub hsts: Option<String>,

    /// Networks of reverse proxies whose X-Forwarded-For is trusted
    #[arg(
        long,
        env = "ATRIUM_TRUSTED_PROXIES",
        value_name = "NETWORK,…",
        value_delimiter = ',',
        global = true
    )]
    pub trusted_proxies: Option<Vec<String>>,

    /// Maximum open connections. One address may hold a quarter of them [default: 16384]
    #[arg(long, env = "ATRIUM_MAX_CONNECTIONS", value_name = "N", global = true)]
    pub max_connections: Option<usize>,

    /// Seconds a client may leave a response unread before it is disconnected [default: 30]
    #[arg(long, env = "ATRIUM_WRITE_TIMEOUT_SECONDS", value_name = "SECONDS", global = true)]
    pub write_timeout_seconds: Option<u64>,

    /// Bearer token for /metrics. Without one, /metrics is served to this machine only
    #[arg(
        long,
        env = "ATRIUM_METRICS_TOKEN",
        value_name = "TOKEN",
        hide_env_values = true,
        global = true
    )]
    pub metrics_token: Option<String>,

    /// Folder for everything that must survive a restart [default: ./data]
    #[arg(long, env = "ATRIUM_DATA_DIR", value_name = "FOLDER", global = true)]
    pub data_dir: Option<PathBuf>,

    /// Metadata database, postgres://… or sqlite:… [default: SQLite in the data folder]
    #[arg(
        long,
        env = "ATRIUM_DATABASE_URL",
        value_name = "URL",
        hide_env_values = true,
        global = true
    )]
    pub database_url: Option<String>,

    /// Maximum PostgreSQL connections per instance [default: 20]
    #[arg(long, env = "ATRIUM_DATABASE_CONNECTIONS", value_name = "N", global = true)]
    pub database_connections: Option<u32>,

    /// Event store: http(s)://user:password@host:8123/database of a ClickHouse. Add ?cluster=NAME for
    /// the shards of a cluster [default: embedded, in the data folder]
    #[arg(
        long,
        env = "ATRIUM_WAREHOUSE_URL",
        value_name = "URL",
        hide_env_values = true,
        global = true
    )]
    pub warehouse_url: Option<String>,

    /// Library of the embedded event store [default: lib/ beside the program]
    #[arg(long, env = "ATRIUM_ENGINE_LIBRARY", value_name = "FILE", global = true)]
    pub engine_library: Option<PathBuf>,

    /// Maximum memory for the embedded event store, in MB [default: half of the machine's]
    #[arg(long, env = "ATRIUM_ENGINE_MEMORY_MB", value_name = "MB", global = true)]
    pub engine_memory_mb: Option<u64>,

    /// How many statements of people and programs read from the event store at once. Query keys
    /// together get half of them, and one is reserved for dashboards [default: 6]
    #[arg(long, env = "ATRIUM_READ_SLOTS", value_name = "N", global = true)]
    pub read_slots: Option<usize>,

    /// Maximum read slots for one organization [default: two thirds of read_slots]
    #[arg(long, env = "ATRIUM_READ_SLOTS_PER_ORGANIZATION", value_name = "N", global = true)]
    pub read_slots_per_organization: Option<usize>,

    /// Maximum read slots for one app [default: same as for one organization]
    #[arg(long, env = "ATRIUM_READ_SLOTS_PER_APP", value_name = "N", global = true)]
    pub read_slots_per_app: Option<usize>,

    /// Maximum read slots for one person or query key [default: same as for one organization]
    #[arg(long, env = "ATRIUM_READ_SLOTS_PER_CALLER", value_name = "N", global = true)]
    pub read_slots_per_caller: Option<usize>,

    /// Maximum calls of one person or query key that wait for a slot. Dashboards may have four times as
    /// many; beyond that the caller gets 429 [default: 8]
    #[arg(long, env = "ATRIUM_READ_QUEUE", value_name = "N", global = true)]
    pub read_queue: Option<usize>,

    /// Seconds a statement may wait for a slot. After that, its caller gets 503 [default: 10]
    #[arg(long, env = "ATRIUM_READ_WAIT_SECONDS", value_name = "SECONDS", global = true)]
    pub read_wait_seconds: Option<u64>,

    /// Rows that queries about a property must have read before it gets a column in the event store. 0
    /// for never [default: 50000000]
    #[arg(long, env = "ATRIUM_COLUMN_AFTER_ROWS", value_name = "ROWS", global = true)]
    pub column_after_rows: Option<u64>,

    /// Maximum data waiting for the event store, in MB. Beyond that the collector answers 503 [default:
    /// 4096]
    #[arg(long, env = "ATRIUM_SPOOL_MAX_MB", value_name = "MB", global = true)]
    pub spool_max_mb: Option<u64>,

    /// Maximum unsigned messages per app, minute, and instance. Signed messages have a quota of the same size; 0
    /// for no limit [default: 600000]
    #[arg(long, env = "ATRIUM_COLLECT_QUOTA", value_name = "N", global = true)]
    pub collect_quota: Option<u64>,

    /// Maximum rejected unsigned messages per app and minute. Beyond that their senders are refused
    /// unread; 0 for no limit [default: 60000]
    #[arg(long, env = "ATRIUM_COLLECT_REJECTED_QUOTA", value_name = "N", global = true)]
    pub collect_rejected_quota: Option<u64>,

    /// Percentage of both quotas that one address may use. Use 100 if all senders share one address
    /// [default: 25]
    #[arg(long, env = "ATRIUM_COLLECT_ADDRESS_SHARE", value_name = "PERCENT", global = true)]
    pub collect_address_share: Option<u64>,

    /// Minutes for which messages of known keys are accepted while PostgreSQL is away. 0 to disable
    /// [default: 15]
    #[arg(long, env = "ATRIUM_COLLECT_WITHOUT_DATABASE", value_name = "MINUTES", global = true)]
    pub collect_without_database: Option<u64>,

    /// Maximum event names counted individually per app and day. Others are stored and count as "other"
    /// [default: 2000]
    #[arg(long, env = "ATRIUM_MAX_EVENT_NAMES", value_name = "N", global = true)]
    pub max_event_names: Option<u64>,

    /// Maximum property names listed per app and day. Others are stored but not listed [default: 5000]
    #[arg(long, env = "ATRIUM_MAX_PROPERTY_NAMES", value_name = "N", global = true)]
    pub max_property_names: Option<u64>,

    /// Maximum values of os, browser, device_type, and language, each, counted individually per app and
    /// day. Others are stored and count as "other" [default: 1000]
    #[arg(long, env = "ATRIUM_MAX_FIELD_VALUES", value_name = "N", global = true)]
    pub max_field_values: Option<u64>,

    /// Maximum pages, and maximum referring sites, counted individually per app and day. Others are
    /// stored and count as "other" [default: 5000]
    #[arg(long, env = "ATRIUM_MAX_PAGES", value_name = "N", global = true)]
    pub max_pages: Option<u64>,

    /// Collect key of an app on this instance to which the console reports its own use [default: none,
    /// nothing is reported]
    #[arg(long, env = "ATRIUM_CONSOLE_APP_KEY", value_name = "KEY", global = true)]
    pub console_app_key: Option<String>,

    /// Whether the console reports its errors to this instance [default: true]
    #[arg(long, env = "ATRIUM_ERROR_REPORTS", value_name = "BOOL", global = true)]
    pub error_reports: Option<bool>,

    /// External collector to which the console's error reports are forwarded, as
    /// https://KEY@host/PROJECT [default: none, they are kept in the database for 30 days]
    #[arg(
        long,
        env = "ATRIUM_ERROR_REPORTS_DSN",
        value_name = "URL",
        hide_env_values = true,
        global = true
    )]
    pub error_reports_dsn: Option<String>,

    /// Maximum size of stored error reports and recordings, in MB. The oldest are removed first
    /// [default: 256]
    #[arg(long, env = "ATRIUM_ERROR_REPORTS_MAX_MB", value_name = "MB", global = true)]
    pub error_reports_max_mb: Option<u64>,

    /// Key that encrypts secrets at rest, 32 bytes in Base64. Prefer the variable or the file: other
    /// users of the machine can see the flag [default: created on first start, in master.key in the
    /// data folder]
    #[arg(
        long,
        env = "ATRIUM_MASTER_KEY",
        value_name = "BASE64",
        hide_env_values = true,
        global = true
    )]
    pub master_key: Option<String>,

    /// Previous master key, needed while it is being rotated. `atrium admin rotate-key` re-encrypts
    /// everything with master_key [default: none]
    #[arg(
        long,
        env = "ATRIUM_MASTER_KEY_PREVIOUS",
        value_name = "BASE64",
        hide_env_values = true,
        global = true
    )]
    pub master_key_previous: Option<String>,

    /// Folder for automatic backups [default: none]
    #[arg(long, env = "ATRIUM_BACKUP_FOLDER", value_name = "FOLDER", global = true)]
    pub backup_folder: Option<PathBuf>,

    /// Hours between automatic backups. 0 for never [default: 0]
    #[arg(long, env = "ATRIUM_BACKUP_EVERY_HOURS", value_name = "HOURS", global = true)]
    pub backup_every_hours: Option<u64>,

    /// Number of automatic backups to keep. Older ones are removed after a new one is made [default: 7]
    #[arg(long, env = "ATRIUM_BACKUP_KEEP", value_name = "N", global = true)]
    pub backup_keep: Option<usize>,

    /// Mail server: smtps://user:password@host, or smtp:// for STARTTLS (plain on this machine only).
    /// Without one, mails become .eml files in outbox/ in the data folder
    #[arg(
        long,
        env = "ATRIUM_SMTP_URL",
        value_name = "URL",
        hide_env_values = true,
        global = true
    )]
    pub smtp_url: Option<String>,

    /// Sender of mails [default: Atrium <atrium@HOST>, the host of public_url]
    #[arg(long, env = "ATRIUM_MAIL_FROM", value_name = "ADDRESS", global = true)]
    pub mail_from: Option<String>,

    /// WeChat Work: corp id of your company. Set together with the agent id and the secret; people can
    /// then link their account, sign in with it, and receive messages [default: none, off]
    #[arg(long, env = "ATRIUM_WECHATWORK_CORP_ID", value_name = "ID", global = true)]
    pub wechatwork_corp_id: Option<String>,

    /// WeChat Work: number of the app (AgentId)
    #[arg(long, env = "ATRIUM_WECHATWORK_AGENT_ID", value_name = "NUMBER", global = true)]
    pub wechatwork_agent_id: Option<String>,

    /// WeChat Work: secret of the app. Prefer the variable or the file to the flag
    #[arg(
        long,
        env = "ATRIUM_WECHATWORK_SECRET",
        value_name = "SECRET",
        hide_env_values = true,
        global = true
    )]
    pub wechatwork_secret: Option<Secret>,

    /// WeChat Work: address of its sign-in page [default: https://login.work.weixin.qq.com]
    #[arg(long, env = "ATRIUM_WECHATWORK_LOGIN_URL", value_name = "URL", global = true)]
    pub wechatwork_login_url: Option<String>,

    /// WeChat Work: address of its API, or of a proxy for it [default: https://qyapi.weixin.qq.com]
    #[arg(long, env = "ATRIUM_WECHATWORK_API_URL", value_name = "URL", global = true)]
    pub wechatwork_api_url: Option<String>,

    /// Feishu: id of the app. Set together with the secret, with the same effect as for WeChat Work
    /// [default: none, off]
    #[arg(long, env = "ATRIUM_FEISHU_APP_ID", value_name = "ID", global = true)]
    pub feishu_app_id: Option<String>,

    /// Feishu: secret of the app. Prefer the variable or the file to the flag
    #[arg(
        long,
        env = "ATRIUM_FEISHU_APP_SECRET",
        value_name = "SECRET",
        hide_env_values = true,
        global = true
    )]
    pub feishu_app_secret: Option<Secret>,

    /// Feishu: address of its sign-in page. https://accounts.larksuite.com for Lark [default:
    /// https://accounts.feishu.cn]
    #[arg(long, env = "ATRIUM_FEISHU_ACCOUNTS_URL", value_name = "URL", global = true)]
    pub feishu_accounts_url: Option<String>,

    /// Feishu: address of its API. https://open.larksuite.com for Lark [default:
    /// https://open.feishu.cn]
    #[arg(long, env = "ATRIUM_FEISHU_API_URL", value_name = "URL", global = true)]
    pub feishu_api_url: Option<String>,

    /// Feishu: address at which a code is exchanged for a token [default: feishu_api_url and
    /// /open-apis/authen/v2/oauth/token]
    #[arg(long, env = "ATRIUM_FEISHU_TOKEN_URL", value_name = "URL", global = true)]
    pub feishu_token_url: Option<String>,

    /// Name of this environment. The console checks for new versions if it contains "production"
    /// [default: production-front]
    #[arg(long, env = "ATRIUM_ENVIRONMENT", value_name = "NAME", global = true)]
    pub environment: Option<String>,

    /// Version that open consoles compare themselves with [default: the client version with the build's
    /// own hash]
    #[arg(long, env = "ATRIUM_BUILD_VERSION", value_name = "VERSION", global = true)]
    pub build_version: Option<String>,

    /// What is new, shown beside the offer to refresh
    #[arg(long, env = "ATRIUM_BUILD_MESSAGE", value_name = "TEXT", global = true)]
    pub build_message: Option<String>,

    /// Who may create an account: "open" (anyone) or "invite" [default: open]
    #[arg(long, env = "ATRIUM_REGISTRATION", value_name = "MODE", global = true)]
    pub registration: Option<String>,

    /// Whether owners of organizations and operators need a second factor [default: true]
    #[arg(long, env = "ATRIUM_PRIVILEGED_MFA", value_name = "BOOL", global = true)]
    pub privileged_mfa: Option<bool>,

    /// Days they have to set it up, from when they get the role or this instance first requires it. 0
    /// for immediately [default: 14]
    #[arg(long, env = "ATRIUM_PRIVILEGED_MFA_GRACE_DAYS", value_name = "DAYS", global = true)]
    pub privileged_mfa_grace_days: Option<i64>,

    /// Whether an organization's sign-in provider may use plain HTTP. On this machine it always may
    /// [default: false]
    #[arg(long, env = "ATRIUM_SSO_ALLOW_HTTP", value_name = "BOOL", global = true)]
    pub sso_allow_http: Option<bool>,

    /// Whether an organization's sign-in provider may have a private address [default: true if
    /// registration is "invite", else false]
    #[arg(long, env = "ATRIUM_SSO_INTERNAL_NETWORKS", value_name = "BOOL", global = true)]
    pub sso_internal_networks: Option<bool>,

    /// Name server used to verify mail domains [default: the system's]
    #[arg(long, env = "ATRIUM_DNS_SERVER", value_name = "ADDRESS:PORT", global = true)]
    pub dns_server: Option<String>,

    /// Milliseconds a sign-in or chat provider may take to answer, 100 to 30000 [default: 10000]
    #[arg(long, env = "ATRIUM_PROVIDER_TIMEOUT_MS", value_name = "N", global = true)]
    pub provider_timeout_ms: Option<u64>,

    /// Whether pages carry a watermark with the signed-in person's name [default: true]
    #[arg(long, env = "ATRIUM_WATERMARK", value_name = "BOOL", global = true)]
    pub watermark: Option<bool>,

    /// Where apps can live, as short-name|Name=https://endpoint [default: local, this instance]
    #[arg(long, env = "ATRIUM_REGIONS", value_name = "REGION,…", value_delimiter = ',', value_parser = region::parse, global = true)]
    pub regions: Option<Vec<Region>>,

    /// What to log: error, warn, info, debug, or a filter such as info,atrium::http=debug [default:
    /// info]
    #[arg(long, env = "ATRIUM_LOG", value_name = "FILTER", global = true)]
    pub log: Option<String>,

    /// How to write the log: text or json [default: text]
    #[arg(long, env = "ATRIUM_LOG_FORMAT", value_name = "FORMAT", global = true)]
    pub log_format: Option<String>,
}

/// Variables that are not settings but are ours all the same.
const OTHER_VARIABLES: [&str; 3] =
    ["ATRIUM_CONFIG", "ATRIUM_MOVE_DATABASE", "ATRIUM_MOVE_WAREHOUSE"];

#[derive(Args, Clone, Debug, Default)]
pub struct SettingsArgs {
    /// Settings file (TOML); its keys are the flags below with underscores
    #[arg(long, env = "ATRIUM_CONFIG", value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,

    #[command(flatten)]
    pub given: RawSettings,
}

impl RawSettings {
    pub(super) fn provider_limit(&self) -> anyhow::Result<Duration> {
        let limit_ms = self.provider_timeout_ms.unwrap_or(10_000);
        if !(100..=30_000).contains(&limit_ms) {
            bail!("provider_timeout_ms: {limit_ms} is not between 100 and 30000");
        }
        Ok(Duration::from_millis(limit_ms))
    }

    /// The file's settings, overridden by variables and flags.
    pub fn load(args: &SettingsArgs) -> anyhow::Result<Self> {
        refuse_unknown_variables(
            std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()),
        )?;
        match &args.config {
            Some(path) => Self::from_file(path)?.overlaid_with(&args.given),
            None => Ok(args.given.clone()),
        }
    }

    pub fn from_file(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("the settings file {} cannot be read", path.display()))?;
        // The parser's error quotes the line, which may hold a secret: keep only its message.
        toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count() + 1);
            anyhow::anyhow!("{}, line {line}: {}", path.display(), error.message())
        })
    }

    fn overlaid_with(self, given: &Self) -> anyhow::Result<Self> {
        let mut merged = serde_json::to_value(self)?;
        let overlay = serde_json::to_value(given)?;
        if let (Some(merged), Some(overlay)) = (merged.as_object_mut(), overlay.as_object()) {
            for (key, value) in overlay.iter().filter(|(_, value)| !value.is_null()) {
                merged.insert(key.clone(), value.clone());
            }
        }
        Ok(serde_json::from_value(merged)?)
    }
}

/// A misspelled variable would silently leave a default in force.
fn refuse_unknown_variables(names: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let command = RawSettings::augment_args(clap::Command::new("atrium"));
    let known: Vec<String> = command
        .get_arguments()
        .filter_map(|arg| arg.get_env().map(|env| env.to_string_lossy().into_owned()))
        .collect();
    for name in names.filter(|name| name.starts_with("ATRIUM_")) {
        let ours = known.contains(&name) || OTHER_VARIABLES.contains(&name.as_str());
        if !ours && !is_service_link(&name) {
            bail!("{name} is not a setting of Atrium; `atrium serve --help` lists all settings");
        }
    }
    Ok(())
}

/// Variables that Kubernetes sets for a Service named atrium.
fn is_service_link(name: &str) -> bool {
    name == "ATRIUM_PORT" || name.starts_with("ATRIUM_PORT_") || name.starts_with("ATRIUM_SERVICE_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_win_over_the_file() {
        let file: RawSettings =
            toml::from_str("listen = \"0.0.0.0:80\"\nenvironment = \"staging\"").unwrap();
        let given = RawSettings { listen: Some("127.0.0.1:9".into()), ..Default::default() };
        let merged = file.overlaid_with(&given).unwrap();
        assert_eq!(merged.listen.as_deref(), Some("127.0.0.1:9"));
        assert_eq!(merged.environment.as_deref(), Some("staging"));
    }

    #[test]
    fn a_misspelt_variable_is_refused() {
        let names = |name: &str| vec!["PATH".to_owned(), name.to_owned()].into_iter();
        assert!(refuse_unknown_variables(names("ATRIUM_LISTEN")).is_ok());
        assert!(refuse_unknown_variables(names("ATRIUM_CONFIG")).is_ok());
        assert!(refuse_unknown_variables(names("ATRIUM_SERVICE_HOST")).is_ok());
        assert!(refuse_unknown_variables(names("ATRIUM_PORT_8080_TCP_ADDR")).is_ok());
        let error = refuse_unknown_variables(names("ATRIUM_LISTN")).unwrap_err().to_string();
        assert!(error.contains("ATRIUM_LISTN"), "{error}");
    }

    #[test]
    fn the_file_knows_regions_as_tables() {
        let file: RawSettings = toml::from_str(
            "[[regions]]\nregion = \"eu\"\nname = \"Europe\"\nendpoint = \"https://eu.example.com\"",
        )
        .unwrap();
        assert_eq!(file.regions.unwrap()[0].region, "eu");
    }

    #[test]
    fn a_misspelt_key_in_the_file_is_refused_by_name() {
        let folder = std::env::temp_dir().join(format!("atrium-raw-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("atrium.toml");
        std::fs::write(&path, "listen = \"127.0.0.1:1\"\nlisen = \"x\"\n").unwrap();
        let error = RawSettings::from_file(&path).unwrap_err().to_string();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(error.contains("line 2") && error.contains("lisen"), "{error}");
    }
}
