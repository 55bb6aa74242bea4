//! The findings of `atrium doctor` about the stores: events and metadata.

use std::collections::BTreeSet;
use std::time::Duration;

use url::Url;
use warehouse::{Location, Warehouse, running_engine};

use super::doctor::{Finding, Verdict};
use super::{fleet_doctor, sso_doctor};
use crate::first_start;
use atrium_core::audit;
use atrium_core::config::Settings;
use atrium_core::db::{Db, MigrationState, integrity, moved, transfer_marker};
use atrium_core::keyring::{Keyring, StoredKey};

/// How long a remote store may take to answer.
const ASK_LIMIT: Duration = Duration::from_secs(5);
const SEE_MOVE: &str = "See \"Move to PostgreSQL and ClickHouse\" in docs/operating.md";
const SEE_DISK: &str = "See \"When something is wrong with the disk\" in docs/operating.md";

/// Checks every event store in the settings.
pub async fn event_stores(settings: &Settings) -> Vec<Finding> {
    match &settings.events.warehouse_url {
        Some(url) => remote_stores(url).await,
        None => {
            let mut findings = vec![embedded_store(settings)];
            if let Some(url) = running_engine(&settings.stores.data_dir.join("events")) {
                let store = Warehouse::open(Location::Remote { url }).patient(ASK_LIMIT);
                findings.extend(tables(&store).await);
            }
            findings
        }
    }
}

/// Whether this program may use the tables, and whether all of them are fully counted.
async fn tables(store: &Warehouse) -> Option<Finding> {
    if let Err(error @ warehouse::Error::Outdated(_)) = store.check_schema().await {
        return Some(Finding::failure(EVENTS, error.to_string(), USE_NEWER));
    }
    // Without tables there is nothing to count either.
    let left = store.recounts_left().await.unwrap_or_default();
    let Some(first) = left.first() else { return property_columns(store).await };
    let text = format!(
        "{} parts of earlier events still have to be counted ({}); meanwhile, figures are correct \
         but slower to read",
        left.len(),
        first.name
    );
    let advice = "A server does this automatically, under the lease `recount`, and logs each part";
    Some(Finding::warning(EVENTS, text, advice))
}

/// How many properties have their own column, and how far those are filled.
async fn property_columns(store: &Warehouse) -> Option<Finding> {
    let columns = store.property_columns().await.ok()?;
    let used: Vec<_> = columns.iter().filter(|column| column.is_in_use()).collect();
    let apps: BTreeSet<_> = used.iter().map(|column| column.app_id).collect();
    if used.is_empty() {
        return None;
    }
    let rows = store.property_rows_left().await.ok()?;
    let state = match rows {
        0 => "all filled".to_owned(),
        rows => format!("{rows} values still have to be extracted, in the background"),
    };
    let text = format!("{} properties of {} apps have columns, {state}", used.len(), apps.len());
    Some(Finding::ok(EVENTS, text))
}

/// Checks only for the library, unless a server is running: the tables belong to it.
fn embedded_store(settings: &Settings) -> Finding {
    let library = settings.events.engine_library.display();
    if settings.events.engine_library.exists() {
        return Finding::ok(EVENTS, format!("embedded, {library}"));
    }
    let text = format!("{library} does not exist: events wait in the spool until it does");
    let advice =
        "Put the release's lib/ beside the program, or set engine_library or warehouse_url";
    Finding::warning(EVENTS, text, advice)
}

/// The server that questions go to, and each shard of a cluster.
async fn remote_stores(url: &Url) -> Vec<Finding> {
    let store = Warehouse::open(Location::Remote { url: url.clone() }).patient(ASK_LIMIT);
    let mut findings = vec![remote_store(url, &store).await];
    // If they cannot be queried, the finding above says so.
    for shard in store.shard_health().await.unwrap_or_default() {
        let place = format!("shard {}, {}", shard.number, shard.host);
        findings.push(match shard.asked {
            Ok(version) => Finding::ok(EVENTS, format!("{place}, ClickHouse {version}")),
            Err(reason) => Finding::failure(EVENTS, format!("{place}: {reason}"), SHARD_LOST),
        });
    }
    if findings.iter().all(|finding| finding.verdict == Verdict::Ok) {
        findings.extend(tables(&store).await);
    }
    findings
}

async fn remote_store(url: &Url, store: &Warehouse) -> Finding {
    let host = url.host_str().unwrap_or_default();
    let asked = store.bytes("SELECT version() FORMAT TSV", &[]);
    match tokio::time::timeout(ASK_LIMIT, asked).await {
        Ok(Ok(version)) => {
            let version = String::from_utf8_lossy(&version);
            Finding::ok(EVENTS, format!("{host}, ClickHouse {}", version.trim()))
        }
        Ok(Err(error)) => Finding::failure(EVENTS, format!("{host}: {error}"), UNREACHABLE),
        Err(_) => Finding::failure(EVENTS, format!("{host}: no answer within 5 s"), UNREACHABLE),
    }
}

const EVENTS: &str = "events";
const USE_NEWER: &str = "If its schema is newer than this program, use the newer program";
const UNREACHABLE: &str = "Check that it is running, that this machine can reach its HTTP port, and the user and password in warehouse_url; meanwhile, events wait in the spool";
const SHARD_LOST: &str = "Bring it back with its data. Until then, nothing can be counted, and events wait in the spool. See \"A shard is lost\" in docs/operating.md";

pub async fn database(settings: &Settings) -> Vec<Finding> {
    const WHAT: &str = "database";
    let url = &settings.stores.database_url;
    let file = url.starts_with("sqlite:").then(|| atrium_core::db::sqlite_file(url));
    // Opening it would create the file, and the doctor changes nothing.
    if file.is_some_and(|file| file.is_ok_and(|file| !file.exists())) {
        return vec![match first_start::refuse_missing_file(&settings.stores) {
            Ok(()) => Finding::warning(WHAT, "does not exist yet", "`atrium serve` creates it"),
            Err(error) => Finding::failure(WHAT, error.to_string(), SEE_DISK),
        }];
    }
    if let Err(error) = integrity::refuse_damaged(url) {
        return vec![Finding::failure(WHAT, format!("{error:#}"), SEE_DISK)];
    }
    if let Err(error) = moved::refuse(url) {
        return vec![Finding::failure(WHAT, format!("{error:#}"), SEE_MOVE)];
    }
    let db = match Db::open(url).await {
        Ok(db) => db,
        Err(error) => {
            let advice = "Check database_url, that the database is running, and that this machine may connect";
            return vec![Finding::failure(WHAT, format!("{error:#}"), advice)];
        }
    };
    if let Err(error) = transfer_marker::refuse(&db).await {
        db.close().await;
        return vec![Finding::failure(WHAT, format!("{error:#}"), SEE_MOVE)];
    }
    let mut findings = Vec::new();
    let name = db.dialect().name();
    match db.migration_state().await {
        Ok(MigrationState { applied, pending: 0, newer }) => {
            let newer = match newer {
                0 => String::new(),
                newer => format!(", and {newer} of a newer version that this one can run beside"),
            };
            let text = format!("{name}, {applied} migrations applied{newer}");
            findings.push(Finding::ok(WHAT, text));
            let older = first_start::doctor(&settings.stores.data_dir, url, &db).await;
            findings.extend(older.map(|text| Finding::warning(WHAT, text, SEE_DISK)));
            findings.push(master_key(settings, &db).await);
            findings.push(audit_chains(settings, &db).await);
            findings.extend(fleet_doctor::examine(&db).await);
            findings.extend(sso_doctor::examine(&settings.sso, &db).await);
        }
        Ok(MigrationState { pending, .. }) => {
            let text = format!("{name}, {pending} migrations pending");
            findings.push(Finding::warning(
                WHAT,
                text,
                "Run `atrium migrate`, or start the server",
            ));
        }
        Err(error) => {
            findings.push(Finding::failure(WHAT, format!("{error:#}"), USE_NEWER));
        }
    }
    db.close().await;
    findings
}

async fn master_key(settings: &Settings, db: &Db) -> Finding {
    const WHAT: &str = "master key";
    let failed = |error: anyhow::Error| {
        let advice =
            "Give this machine the key that the other instances use (master_key or master.key)";
        Finding::failure(WHAT, format!("{error:#}"), advice)
    };
    let stored = match StoredKey::read(db).await {
        Ok(stored) => stored,
        Err(error) => return failed(error),
    };
    let Some(fingerprint) = stored.fingerprint else {
        return Finding::ok(WHAT, "the database has not used one yet");
    };
    match Keyring::look(&settings.stores, db).await {
        Err(error) => failed(error),
        Ok(_) if stored.key_rotating_from.is_some() => {
            let text = format!(
                "fingerprint {fingerprint}; some values are still encrypted with the previous key"
            );
            Finding::warning(WHAT, text, "Run `atrium admin rotate-key` to finish the rotation")
        }
        Ok(_) => Finding::ok(WHAT, format!("fingerprint {fingerprint}, matches the database")),
    }
}

async fn audit_chains(settings: &Settings, db: &Db) -> Finding {
    const WHAT: &str = "audit log";
    let Ok(keyring) = Keyring::look(&settings.stores, db).await else {
        let text = "cannot be checked without the master key";
        return Finding::warning(WHAT, text, "Fix the master key first");
    };
    let checked = match db.read().await {
        Ok(mut connection) => audit::verify(&mut connection, &keyring).await,
        Err(error) => Err(error),
    };
    match checked {
        Ok((seen, faults)) => match faults.first() {
            None => Finding::ok(WHAT, format!("{seen} entries, all chains verified")),
            Some(fault) => {
                let (chain, seq, what) = (&fault.chain, fault.seq, fault.what);
                let text = format!("chain {chain}: entry {seq} {what}");
                let advice = "It was modified, or a restore lost its end. Compare with a backup";
                Finding::failure(WHAT, text, advice)
            }
        },
        Err(error) => Finding::failure(WHAT, error.to_string(), "Look at the database's own log"),
    }
}
