//! `atrium doctor`: looks at everything an instance stands on and says what it finds, one line
//! each. Changes nothing.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use url::Url;
use warehouse::{Location, Warehouse};

use super::other_servers;
use crate::backup::schedule;
use crate::first_start;
use atrium_collect::collect::{loading, spool_slots};
use atrium_core::audit;
use atrium_core::config::{BackupSettings, Settings};
use atrium_core::db::{Db, Dialect, MigrationState, integrity};
use atrium_core::folder;
use atrium_core::keyring::{KEY_FILE, Keyring, StoredKey};
use atrium_core::types::{Clock, Millis};
use atrium_tenancy::chat_vendor::{Failure, Feishu, WechatWork};

/// How long a store elsewhere may take to answer.
const ASK_LIMIT: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Ok,
    Warning,
    Failure,
}

#[derive(Debug)]
pub struct Finding {
    pub verdict: Verdict,
    pub what: &'static str,
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.verdict {
            Verdict::Ok => "ok     ",
            Verdict::Warning => "warning",
            Verdict::Failure => "FAILURE",
        };
        write!(f, "{mark}  {:<12} {}", self.what, self.text)
    }
}

pub fn finding(verdict: Verdict, what: &'static str, text: impl Into<String>) -> Finding {
    Finding { verdict, what, text: text.into() }
}

pub async fn examine(settings: &Settings) -> Vec<Finding> {
    let mut findings = vec![
        public_url(settings),
        data_dir(&settings.stores.data_dir),
        room(&settings.stores.data_dir),
        key_file(&settings.stores.data_dir.join(KEY_FILE)),
        event_store(settings).await,
        spool(&settings.stores.data_dir),
        servers(settings),
    ];
    findings.extend(damaged_spools(&settings.stores.data_dir));
    findings.extend(settings.backup.as_ref().map(backups));
    findings.extend(chat(settings).await);
    findings.extend(database(settings).await);
    findings
}

fn public_url(settings: &Settings) -> Finding {
    let url = &settings.server.public_url;
    let is_local =
        url.host_str().is_some_and(|host| host == "localhost" || host.starts_with("127."));
    if settings.server.is_https() || is_local {
        finding(Verdict::Ok, "public_url", url.as_str())
    } else {
        let text = format!("{url} is not HTTPS: passwords and sessions travel in the clear");
        finding(Verdict::Warning, "public_url", text)
    }
}

fn data_dir(folder: &Path) -> Finding {
    let Ok(about) = std::fs::metadata(folder) else {
        let text = format!("{} does not exist; `atrium serve` makes it", folder.display());
        return finding(Verdict::Warning, "data_dir", text);
    };
    let open_to_others = about.permissions().mode() & 0o077 != 0;
    match std::fs::read_dir(folder) {
        Err(error) => {
            finding(Verdict::Failure, "data_dir", format!("{}: {error}", folder.display()))
        }
        Ok(_) if folder::check_writable(folder).is_err() => {
            let error = folder::check_writable(folder).err();
            let text = error.map_or_else(String::new, |error| error.to_string());
            finding(Verdict::Failure, "data_dir", text)
        }
        Ok(_) if open_to_others => {
            let text = format!("{} is open to other users; chmod 700 closes it", folder.display());
            finding(Verdict::Warning, "data_dir", text)
        }
        Ok(_) => finding(Verdict::Ok, "data_dir", folder.display().to_string()),
    }
}

/// Less room than this is soon gone.
const LITTLE_ROOM: u64 = 1 << 30;
const NO_ROOM: u64 = 16 << 20;

fn room(folder: &Path) -> Finding {
    const WHAT: &str = "disk";
    let Some(free) = folder::free_bytes(folder) else {
        return finding(Verdict::Ok, WHAT, "how much room is left is not known");
    };
    let text = format!("{} MB are left for {}", free >> 20, folder.display());
    match free {
        free if free < NO_ROOM => {
            finding(Verdict::Failure, WHAT, format!("{text}: it is full, nothing can be stored"))
        }
        free if free < LITTLE_ROOM => finding(Verdict::Warning, WHAT, text),
        _ => finding(Verdict::Ok, WHAT, text),
    }
}

fn servers(settings: &Settings) -> Finding {
    const WHAT: &str = "servers";
    match other_servers::of_doctor(settings) {
        Ok((verdict, text)) => finding(verdict, WHAT, text),
        Err(error) => finding(Verdict::Warning, WHAT, format!("{error:#}")),
    }
}

fn backups(settings: &BackupSettings) -> Finding {
    let (verdict, text) = schedule::doctor(settings, Clock::default().now());
    finding(verdict, "back-ups", text)
}

fn damaged_spools(folder: &Path) -> Vec<Finding> {
    let notes = spool_slots::notes_in(folder);
    notes
        .into_iter()
        .map(|note| finding(Verdict::Warning, "spool", note.trim().to_owned()))
        .collect()
}

fn key_file(file: &Path) -> Finding {
    match std::fs::metadata(file) {
        Err(_) => {
            finding(Verdict::Ok, "key file", "none; made on first start, or given by master_key")
        }
        Ok(about) if about.permissions().mode() & 0o077 != 0 => {
            let text =
                format!("{} can be read by other users; chmod 600 closes it", file.display());
            finding(Verdict::Failure, "key file", text)
        }
        Ok(_) => finding(Verdict::Ok, "key file", file.display().to_string()),
    }
}

/// The event engine's library sits beside the program in `lib/`.
/// A remote store is asked; of the embedded one only the library is looked for, because its tables
/// belong to the server that may be running.
async fn event_store(settings: &Settings) -> Finding {
    const WHAT: &str = "events";
    let events = &settings.events;
    let Some(url) = &events.warehouse_url else {
        let library = events.engine_library.display();
        return if events.engine_library.exists() {
            finding(Verdict::Ok, WHAT, format!("embedded, {library}"))
        } else {
            let text = format!("{library} is not there: events wait in the spool until it is");
            finding(Verdict::Warning, WHAT, text)
        };
    };
    let host = url.host_str().unwrap_or_default();
    let store = Warehouse::open(Location::Remote { url: url.clone() }).patient(ASK_LIMIT);
    match store.bytes("SELECT version() FORMAT TSV", &[]).await {
        Ok(version) => {
            let version = String::from_utf8_lossy(&version);
            finding(Verdict::Ok, WHAT, format!("{host}, ClickHouse {}", version.trim()))
        }
        Err(error) => finding(Verdict::Failure, WHAT, format!("{host}: {error}")),
    }
}

/// What waits in the spools of this folder, and what could not be stored.
fn spool(data_dir: &Path) -> Finding {
    const WHAT: &str = "spool";
    let found = match loading::examine(data_dir) {
        Ok(found) => found,
        Err(error) => return finding(Verdict::Failure, WHAT, format!("{error:#}")),
    };
    let waited = found.oldest.map_or(0, |at| Clock::default().now().since(Millis(at)));
    let waiting = match (found.waiting, waited / Millis::SECOND) {
        (0, _) => "nothing waits".to_owned(),
        (messages, seconds) => format!("{messages} messages wait, the oldest for {seconds} s"),
    };
    if found.set_aside > 0 {
        let (count, file) = (found.set_aside, found.set_aside_in.display());
        let text = format!("{waiting}; {count} could not be stored and are set aside in {file}");
        finding(Verdict::Warning, WHAT, text)
    } else if waited > loading::WAITING_LONG {
        finding(
            Verdict::Warning,
            WHAT,
            format!("{waiting}: loading is behind or fails, see the log"),
        )
    } else {
        finding(Verdict::Ok, WHAT, waiting)
    }
}

/// An app at a work chat that is set up is asked for a token, which it gives for the right secret.
async fn chat(settings: &Settings) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(settings) = &settings.chat.wechatwork {
        let asked = match WechatWork::new(settings.clone()) {
            Ok(vendor) => vendor.fetch().await.map(|_| ()),
            Err(_) => Err(Failure::Nonsense),
        };
        findings.push(vendor("wechatwork", &settings.corp_id, &settings.api_url, asked));
    }
    if let Some(settings) = &settings.chat.feishu {
        let asked = match Feishu::new(settings.clone()) {
            Ok(vendor) => vendor.fetch().await.map(|_| ()),
            Err(_) => Err(Failure::Nonsense),
        };
        findings.push(vendor("feishu", &settings.app_id, &settings.api_url, asked));
    }
    findings
}

/// One that is away may come back; one that refuses was set up wrongly.
fn vendor(what: &'static str, id: &str, api: &Url, asked: Result<(), Failure>) -> Finding {
    let host = api.host_str().unwrap_or_default();
    match asked {
        Ok(()) => finding(Verdict::Ok, what, format!("{id}, {host} gives a token")),
        Err(Failure::Code(code)) => {
            let text = format!("{host} refuses the app {id} or its secret (error {code})");
            finding(Verdict::Failure, what, text)
        }
        Err(failure) => finding(Verdict::Warning, what, format!("{host}: {failure}")),
    }
}

async fn database(settings: &Settings) -> Vec<Finding> {
    const WHAT: &str = "database";
    let url = &settings.stores.database_url;
    let file = url.starts_with("sqlite:").then(|| atrium_core::db::sqlite_file(url));
    // Opening would make the file, and a doctor leaves no trace.
    if file.is_some_and(|file| file.is_ok_and(|file| !file.exists())) {
        return vec![match first_start::refuse_missing_file(&settings.stores) {
            Ok(()) => finding(Verdict::Warning, WHAT, "not there yet; `atrium serve` makes it"),
            Err(error) => finding(Verdict::Failure, WHAT, error.to_string()),
        }];
    }
    if let Err(error) = integrity::refuse_damaged(url) {
        return vec![finding(Verdict::Failure, WHAT, format!("{error:#}"))];
    }
    let db = match Db::open(url).await {
        Ok(db) => db,
        Err(error) => return vec![finding(Verdict::Failure, WHAT, format!("{error:#}"))],
    };
    let mut findings = Vec::new();
    let name = match db.dialect() {
        Dialect::Sqlite => "SQLite",
        Dialect::Postgres => "PostgreSQL",
    };
    match db.migration_state().await {
        Ok(MigrationState { applied, pending: 0 }) => {
            findings.push(finding(
                Verdict::Ok,
                WHAT,
                format!("{name}, {applied} migrations applied"),
            ));
            let older = first_start::doctor(&settings.stores.data_dir, url, &db).await;
            findings.extend(older.map(|text| finding(Verdict::Warning, WHAT, text)));
            findings.push(master_key(settings, &db).await);
            findings.push(audit_chains(settings, &db).await);
            findings.extend(super::sso_doctor::examine(&settings.sso, &db).await);
        }
        Ok(MigrationState { pending, .. }) => {
            let text = format!("{name}, {pending} migrations wait for `atrium migrate` or a start");
            findings.push(finding(Verdict::Warning, WHAT, text));
        }
        Err(error) => findings.push(finding(Verdict::Failure, WHAT, format!("{error:#}"))),
    }
    db.close().await;
    findings
}

async fn master_key(settings: &Settings, db: &Db) -> Finding {
    const WHAT: &str = "master key";
    let failed = |error: anyhow::Error| finding(Verdict::Failure, WHAT, format!("{error:#}"));
    let stored = match StoredKey::read(db).await {
        Ok(stored) => stored,
        Err(error) => return failed(error),
    };
    let Some(fingerprint) = stored.fingerprint else {
        return finding(Verdict::Ok, WHAT, "the database has not met one yet");
    };
    match Keyring::look(&settings.stores, db).await {
        Err(error) => failed(error),
        Ok(_) if stored.key_rotating_from.is_some() => {
            let text = format!(
                "fingerprint {fingerprint}; values of the key before are still moving over: \
                 `atrium admin rotate-key` finishes that"
            );
            finding(Verdict::Warning, WHAT, text)
        }
        Ok(_) => {
            finding(Verdict::Ok, WHAT, format!("fingerprint {fingerprint}, the database agrees"))
        }
    }
}

async fn audit_chains(settings: &Settings, db: &Db) -> Finding {
    const WHAT: &str = "audit log";
    let Ok(keyring) = Keyring::look(&settings.stores, db).await else {
        return finding(Verdict::Warning, WHAT, "cannot be checked without the master key");
    };
    let checked = match db.read().await {
        Ok(mut connection) => audit::verify(&mut connection, &keyring).await,
        Err(error) => Err(error),
    };
    match checked {
        Ok((seen, faults)) => match faults.first() {
            None => finding(Verdict::Ok, WHAT, format!("{seen} entries, every chain holds")),
            Some(fault) => {
                let (chain, seq, what) = (&fault.chain, fault.seq, fault.what);
                let text = format!("chain {chain}: entry {seq} {what}");
                finding(Verdict::Failure, WHAT, text)
            }
        },
        Err(error) => finding(Verdict::Failure, WHAT, error.to_string()),
    }
}
