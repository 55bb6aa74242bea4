use serde_json::{Value, json};
use sqlx::{AnyConnection, Row};

use super::{Actor, Event};
use crate::db::Write;
use crate::db::page::Page;
use crate::db::page::PageOf;
use crate::error::Result;
use crate::keyring::{Keyring, mac};
use crate::types::{Id, Millis};

/// The chain for everything outside organizations: accounts, sign-ins, the instance.
const INSTANCE_CHAIN: &str = "instance";

/// Appends within the transaction that makes the change, so that neither happens alone.
pub async fn append(tx: &mut Write, actor: &Actor, event: Event) -> Result<()> {
    let chain = event.org_id.as_ref().map_or(INSTANCE_CHAIN, |id| id.as_str()).to_owned();
    sqlx::query(
        "INSERT INTO audit_chains (chain, seq, hash) VALUES ($1, 0, '') ON CONFLICT DO NOTHING",
    )
    .bind(&chain)
    .execute(&mut **tx)
    .await?;
    // The update locks the end of the chain until commit, which serializes appends.
    let (seq, prev_hash): (i64, String) = sqlx::query_as(
        "UPDATE audit_chains SET seq = seq + 1 WHERE chain = $1 RETURNING seq, hash",
    )
    .bind(&chain)
    .fetch_one(&mut **tx)
    .await?;
    let (actor_kind, actor_id) = actor.kind_and_id();
    let entry = Entry {
        id: tx.new_id()?.to_string(),
        chain,
        seq,
        org_id: event.org_id.map(|id| id.to_string()),
        app_id: event.app_id.map(|id| id.to_string()),
        actor_kind: actor_kind.to_owned(),
        actor_id: actor_id.map(str::to_owned),
        action: event.action.to_owned(),
        target_kind: event.target_kind.to_owned(),
        target_id: event.target_id,
        details: event.details.to_string(),
        ip: actor.ip.map(|ip| ip.to_string()),
        user_agent: actor.user_agent.clone(),
        at: tx.now()?,
        prev_hash,
    };
    let hash = entry.hash(tx.keyring()?);
    sqlx::query("UPDATE audit_chains SET hash = $1 WHERE chain = $2")
        .bind(&hash)
        .bind(&entry.chain)
        .execute(&mut **tx)
        .await?;
    entry.insert(tx, &hash).await
}

/// One row, in the form that is hashed.
struct Entry {
    id: String,
    chain: String,
    seq: i64,
    org_id: Option<String>,
    app_id: Option<String>,
    actor_kind: String,
    actor_id: Option<String>,
    action: String,
    target_kind: String,
    target_id: Option<String>,
    details: String,
    ip: Option<String>,
    user_agent: Option<String>,
    at: Millis,
    prev_hash: String,
}

impl Entry {
    /// Hashes every column in order, each prefixed with its length, so that no two entries hash the
    /// same input.
    fn hash(&self, keyring: &Keyring) -> String {
        let (seq, at) = (self.seq.to_string(), self.at.0.to_string());
        let columns: [Option<&str>; 15] = [
            Some(&self.prev_hash),
            Some(&self.id),
            Some(&self.chain),
            Some(&seq),
            self.org_id.as_deref(),
            self.app_id.as_deref(),
            Some(&self.actor_kind),
            self.actor_id.as_deref(),
            Some(&self.action),
            Some(&self.target_kind),
            self.target_id.as_deref(),
            Some(&self.details),
            self.ip.as_deref(),
            self.user_agent.as_deref(),
            Some(&at),
        ];
        let mut text = Vec::new();
        for column in columns {
            match column {
                Some(value) => text.extend(format!("{}:{value};", value.len()).into_bytes()),
                None => text.extend(b"-;"),
            }
        }
        hex::encode(mac(&keyring.derive("audit"), &[&text]))
    }

    async fn insert(&self, tx: &mut Write, hash: &str) -> Result<()> {
        sqlx::query(
            "INSERT INTO audit_entries (id, chain, seq, org_id, app_id, actor_kind, actor_id, action,
                target_kind, target_id, details, ip, user_agent, at, prev_hash, hash)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
        )
        .bind(&self.id)
        .bind(&self.chain)
        .bind(self.seq)
        .bind(&self.org_id)
        .bind(&self.app_id)
        .bind(&self.actor_kind)
        .bind(&self.actor_id)
        .bind(&self.action)
        .bind(&self.target_kind)
        .bind(&self.target_id)
        .bind(&self.details)
        .bind(&self.ip)
        .bind(&self.user_agent)
        .bind(self.at)
        .bind(&self.prev_hash)
        .bind(hash)
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    fn read(row: &sqlx::any::AnyRow) -> sqlx::Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            chain: row.try_get("chain")?,
            seq: row.try_get("seq")?,
            org_id: row.try_get("org_id")?,
            app_id: row.try_get("app_id")?,
            actor_kind: row.try_get("actor_kind")?,
            actor_id: row.try_get("actor_id")?,
            action: row.try_get("action")?,
            target_kind: row.try_get("target_kind")?,
            target_id: row.try_get("target_id")?,
            details: row.try_get("details")?,
            ip: row.try_get("ip")?,
            user_agent: row.try_get("user_agent")?,
            at: row.try_get("at")?,
            prev_hash: row.try_get("prev_hash")?,
        })
    }
}

/// What a user did, newest first, for that user's own data export.
pub async fn by_actor(db: &mut AnyConnection, user_id: &Id, page: Page) -> Result<Vec<Value>> {
    let list = PageOf::new([user_id.into()], page);
    let sql = format!(
        "SELECT * FROM audit_entries WHERE actor_id = $1 ORDER BY at DESC, id DESC {}",
        list.cut()
    );
    let rows = list.raw_rows(db, sql).await?;
    let entry = |row| {
        let entry = Entry::read(row)?;
        let details: Value = serde_json::from_str(&entry.details).unwrap_or_default();
        Ok(json!({
            "id": entry.id, "at": entry.at, "action": entry.action,
            "org_id": entry.org_id, "app_id": entry.app_id,
            "target": { "kind": entry.target_kind, "id": entry.target_id },
            "details": details, "ip": entry.ip, "user_agent": entry.user_agent,
        }))
    };
    rows.iter().map(entry).collect()
}

/// Where a chain is broken.
#[derive(Debug, PartialEq, Eq)]
pub struct ChainFault {
    pub chain: String,
    pub seq: i64,
    pub what: &'static str,
}

/// Walks every chain and reports the first fault of each, with the number of entries seen.
pub async fn verify(
    connection: &mut AnyConnection,
    keyring: &Keyring,
) -> Result<(u64, Vec<ChainFault>)> {
    let ends: Vec<(String, i64, String)> =
        sqlx::query_as("SELECT chain, seq, hash FROM audit_chains ORDER BY chain")
            .fetch_all(&mut *connection)
            .await?;
    let mut seen = 0;
    let mut faults = Vec::new();
    for (chain, last, end_hash) in ends {
        let (count, fault) = verify_chain(connection, keyring, &chain, last, &end_hash).await?;
        seen += count;
        faults.extend(fault);
    }
    Ok((seen, faults))
}

async fn verify_chain(
    connection: &mut AnyConnection,
    keyring: &Keyring,
    chain: &str,
    last: i64,
    end_hash: &str,
) -> Result<(u64, Option<ChainFault>)> {
    const PAGE: i64 = 1000;
    let fault = |seq, what| Some(ChainFault { chain: chain.to_owned(), seq, what });
    let mut hash_before = String::new();
    let mut expected = 1;
    loop {
        let rows = sqlx::query(
            "SELECT * FROM audit_entries WHERE chain = $1 AND seq >= $2 AND seq <= $3
             ORDER BY seq LIMIT $4",
        )
        .bind(chain)
        .bind(expected)
        // A running server appends meanwhile; entries beyond `last` are left to the next run.
        .bind(last)
        .bind(PAGE)
        .fetch_all(&mut *connection)
        .await?;
        for row in &rows {
            let entry = Entry::read(row)?;
            let hash: String = row.try_get("hash")?;
            let count = u64::try_from(expected - 1).unwrap_or(0);
            if entry.seq != expected {
                return Ok((count, fault(expected, "is missing")));
            }
            if entry.prev_hash != hash_before || entry.hash(keyring) != hash {
                return Ok((count, fault(expected, "was changed")));
            }
            hash_before = hash;
            expected += 1;
        }
        if rows.len() < usize::try_from(PAGE).unwrap_or(usize::MAX) {
            break;
        }
    }
    let count = u64::try_from(expected - 1).unwrap_or(0);
    if expected - 1 != last || hash_before != end_hash {
        return Ok((count, fault(expected, "is missing from the end")));
    }
    Ok((count, None))
}
