//! Replaces the master key while servers run: `atrium admin rotate-key`.
//!
//! The new key must be available everywhere before anything is sealed under it. Then the database says
//! that it is in use, running servers switch to it within seconds, and every sealed value is re-sealed,
//! batch by batch. All of this can be interrupted and restarted, because each value names the key it is
//! sealed under.

use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::json;
use sqlx_macros::FromRow;

use crate::audit::{self, Actor, Event};
use crate::keyring::{KEY_FILE, MasterKey, StoredKey};
use crate::state::Core;

/// How often a server checks which key is in use.
pub const LOOK_EVERY: Duration = Duration::from_secs(5);
const BATCH: i64 = 100;

/// A column of sealed values.
struct Sealed {
    table: &'static str,
    id: &'static str,
    column: &'static str,
    /// SQL for the purpose that a value is sealed for.
    purpose: &'static str,
    /// SQL that tells sealed values from others in the same column.
    only: &'static str,
}

/// Every column that holds output of `Keyring::seal`. A test compares this with the code.
const SEALED: &[Sealed] = &[
    Sealed {
        table: "access_keys",
        id: "id",
        column: "secret_sealed",
        purpose: "'access-key/' || id",
        only: "1 = 1",
    },
    Sealed {
        table: "totp_factors",
        id: "user_id",
        column: "secret",
        purpose: "'totp'",
        only: "1 = 1",
    },
    Sealed {
        table: "org_sso",
        id: "org_id",
        column: "client_secret",
        purpose: "'sso_client_secret'",
        only: "1 = 1",
    },
    Sealed {
        table: "erasures",
        id: "id",
        column: "subject",
        purpose: "'erasure/' || id",
        only: "subject IS NOT NULL",
    },
    Sealed {
        table: "outbox",
        id: "id",
        column: "body",
        purpose: "CASE channel WHEN 'mail' THEN 'mail' ELSE 'chat' END",
        only: "1 = 1",
    },
    Sealed {
        table: "one_time_tokens",
        id: "id",
        column: "payload",
        purpose: "purpose",
        // An invitation's payload is the id of the invitation.
        only: "payload IS NOT NULL AND purpose <> 'invitation'",
    },
];

#[derive(Debug, Default)]
pub struct Rotated {
    pub from: String,
    pub to: String,
    /// Values sealed again under the new key.
    pub moved: u64,
    /// Values that no known key opens; the rotation did not cause that.
    pub unreadable: u64,
}

/// Rotates the key, or finishes an interrupted rotation. `settle` must be longer than any server takes
/// to notice the change and to finish work begun under the previous key.
pub async fn rotate(atrium: &Core, settle: Duration) -> anyhow::Result<Rotated> {
    let _alone = alone(&atrium.settings.stores.data_dir)?;
    atrium.keyring.refresh(&atrium.db).await?;
    let from = match StoredKey::read(&atrium.db).await?.key_rotating_from {
        Some(from) => from,
        None => {
            // A new key file drops keys older than the one in use, so nothing may be left under those.
            let to = atrium.keyring.fingerprint();
            move_all(atrium, &mut Rotated { to, ..Default::default() }).await?;
            begin(atrium).await?
        }
    };
    atrium.keyring.refresh(&atrium.db).await?;
    let mut rotated = Rotated { from, to: atrium.keyring.fingerprint(), ..Default::default() };
    move_all(atrium, &mut rotated).await?;
    // A server that had not noticed yet may have sealed something under the previous key.
    tokio::time::sleep(settle).await;
    rotated.unreadable = 0;
    move_all(atrium, &mut rotated).await?;
    finish(atrium, &rotated).await?;
    Ok(rotated)
}

/// Two rotations at once would each write a key file of their own.
fn alone(data_dir: &Path) -> anyhow::Result<std::fs::File> {
    let path = data_dir.join("master.key.lock");
    let mut options = std::fs::OpenOptions::new();
    let file = options.create(true).truncate(false).write(true).mode(0o600).open(&path);
    let file = file.with_context(|| format!("{} cannot be written", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => bail!("the key is already being rotated"),
        Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Puts the next key in use. Returns the fingerprint of the previous one.
pub async fn begin(atrium: &Core) -> anyhow::Result<String> {
    let next = next_key(atrium)?;
    let (from, to) = (atrium.keyring.fingerprint(), next.fingerprint());
    let root = atrium.keyring.seal_root(&next, &atrium.entropy)?;
    let mut tx = atrium.db.write().await?;
    let event = Event::without_target("instance.key_rotate", "instance");
    let event = event.with(json!({ "from": from, "to": to }));
    audit::append(&mut tx, &Actor::operator(), event).await?;
    let switched = sqlx::query(
        "UPDATE instance SET key_fingerprint = $1, root_sealed = $2, key_rotating_from = $3
         WHERE key_fingerprint = $3 AND key_rotating_from IS NULL",
    );
    let switched = switched.bind(&to).bind(&root).bind(&from).execute(&mut *tx).await?;
    if switched.rows_affected() != 1 {
        bail!("the key was rotated by another process in the meantime; see `atrium doctor`");
    }
    tx.commit().await?;
    Ok(from)
}

/// The first key of the settings or the file. If that is already in use, makes a new key and puts it
/// first in the file.
fn next_key(atrium: &Core) -> anyhow::Result<MasterKey> {
    let stores = &atrium.settings.stores;
    let current = atrium.keyring.current();
    let first = MasterKey::find(stores)?.into_iter().next();
    if let Some(next) = first.filter(|key| *key != current) {
        return Ok(next);
    }
    if stores.master_key.is_some() {
        bail!(
            "master_key: this key is already in use. On every server, set master_key to a new key \
             and master_key_previous to this one, restart the servers one after another, and run \
             this again"
        );
    }
    let next = MasterKey::random(&atrium.entropy);
    MasterKey::write(&stores.data_dir.join(KEY_FILE), &[&next, &current], &atrium.entropy)?;
    Ok(next)
}

async fn move_all(atrium: &Core, rotated: &mut Rotated) -> anyhow::Result<()> {
    for sealed in SEALED {
        let mut after = String::new();
        while let Some(last) = move_batch(atrium, sealed, &after, rotated).await? {
            after = last;
        }
    }
    Ok(())
}

#[derive(FromRow)]
struct Value {
    id: String,
    purpose: String,
    sealed: String,
}

/// Re-seals the next batch. Returns the last id; None if there was nothing left.
async fn move_batch(
    atrium: &Core,
    Sealed { table, id, column, purpose, only }: &Sealed,
    after: &str,
    rotated: &mut Rotated,
) -> anyhow::Result<Option<String>> {
    let sql = format!(
        "SELECT {id} AS id, {purpose} AS purpose, {column} AS sealed FROM {table}
         WHERE {id} > $1 AND {only} AND {column} NOT LIKE $2 ORDER BY {id} LIMIT $3"
    );
    let values: Vec<Value> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(after)
        .bind(format!("{}.%", rotated.to))
        .bind(BATCH)
        .fetch_all(&mut *atrium.db.read().await?)
        .await?;
    let Some(last) = values.last().map(|value| value.id.clone()) else { return Ok(None) };
    // A value that changed meanwhile is already under the new key, or is handled by the second pass.
    let sql = format!("UPDATE {table} SET {column} = $1 WHERE {id} = $2 AND {column} = $3");
    let mut tx = atrium.db.write_uncached().await?;
    for value in &values {
        let Ok(plain) = atrium.keyring.open_sealed(&value.purpose, &value.sealed) else {
            tracing::warn!(
                table,
                id = value.id,
                "no key decrypts this value; it is left unchanged"
            );
            rotated.unreadable += 1;
            continue;
        };
        let sealed = atrium.keyring.seal(&value.purpose, &plain, &atrium.entropy)?;
        let update = sqlx::query(sqlx::AssertSqlSafe(sql.clone()));
        let update = update.bind(sealed).bind(&value.id).bind(&value.sealed);
        rotated.moved += update.execute(&mut *tx).await?.rows_affected();
    }
    tx.commit().await?;
    Ok(Some(last))
}

async fn finish(atrium: &Core, rotated: &Rotated) -> anyhow::Result<()> {
    let mut tx = atrium.db.write_uncached().await?;
    let event = Event::without_target("instance.key_rotated", "instance");
    let event = event.with(json!({ "from": rotated.from, "to": rotated.to }));
    audit::append(&mut tx, &Actor::operator(), event).await?;
    sqlx::query("UPDATE instance SET key_rotating_from = NULL WHERE key_fingerprint = $1")
        .bind(&rotated.to)
        .execute(&mut *tx)
        .await?;
    tx.commit().await?;
    Ok(())
}

/// Keeps up with rotations done by other processes.
pub async fn follow(atrium: Core) {
    let mut ticks = tokio::time::interval(LOOK_EVERY);
    loop {
        ticks.tick().await;
        match atrium.keyring.refresh(&atrium.db).await {
            Ok(false) => {}
            Ok(true) => tracing::info!(key = ?atrium.keyring, "the master key was rotated"),
            Err(error) => tracing::error!("cannot switch to the current master key: {error:#}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if std::fs::read_to_string(&path).unwrap().contains(".keyring.seal(") {
                found.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }

    /// If this fails: add the new column to `SEALED`, and the file to this list.
    #[test]
    fn every_place_that_seals_is_known_to_the_rotation() {
        let mut found = Vec::new();
        for layer in ["core", "tenancy", "collect", "insight", "atrium"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(layer).join("src");
            sources(&folder, &mut found);
        }
        found.sort();
        // generate: access_keys, ticket: one_time_tokens, settings: org_sso, handlers: erasures,
        // mod: outbox, key_rotation: this file.
        assert_eq!(
            found,
            [
                "generate.rs",
                "handlers.rs",
                "key_rotation.rs",
                "mod.rs",
                "settings.rs",
                "ticket.rs",
                "totp.rs"
            ]
        );
        assert_eq!(SEALED.len(), found.len() - 1);
    }
}
