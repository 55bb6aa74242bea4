//! The destination of a move: an empty PostgreSQL and an empty ClickHouse (on one server or on the
//! shards of a cluster), or those of an interrupted move of the same instance.

use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use url::Url;
use warehouse::{Location, TransferState, Warehouse};

use super::Options;
use atrium_core::audit::{self, Actor, Event};
use atrium_core::config::{RawSettings, Settings};
use atrium_core::db::Db;
use atrium_core::db::transfer_marker::{self, Found};
use atrium_core::keyring::Keyring;
use atrium_core::types::{Clock, Entropy};

pub struct Destination {
    pub database_url: String,
    pub events: Warehouse,
    warehouse_url: Url,
}

impl Destination {
    pub fn read(options: &Options) -> anyhow::Result<Self> {
        let file = options.to.as_deref().map(RawSettings::from_file).transpose()?;
        let file = file.unwrap_or_default();
        let database = options.database.clone().or(file.database_url);
        let warehouse = options.warehouse.clone().or(file.warehouse_url);
        let database = database.context("--database must name the PostgreSQL to move to")?;
        let warehouse = warehouse.context("--warehouse must name the ClickHouse to move to")?;
        let raw = RawSettings {
            database_url: Some(database),
            warehouse_url: Some(warehouse),
            ..RawSettings::default()
        };
        let settings = Settings::check(raw)?;
        let database_url = settings.stores.database_url;
        ensure!(!database_url.starts_with("sqlite:"), "--database: must begin with postgres://");
        let warehouse_url = settings.events.warehouse_url.context("--warehouse")?;
        let events = Warehouse::open(Location::Remote { url: warehouse_url.clone() });
        // The record of the move and of the views would be on only one replica of a shard.
        ensure!(
            !events.is_replicated(),
            "--warehouse: moving to a cluster whose shards have replicas is not supported"
        );
        Ok(Self { database_url, events, warehouse_url })
    }

    /// Without the password: this is printed, and kept in the old database.
    pub fn database(&self) -> String {
        Url::parse(&self.database_url).map(|url| bare(&url)).unwrap_or_default()
    }

    pub fn warehouse(&self) -> String {
        bare(&self.warehouse_url)
    }

    pub fn shown(&self) -> String {
        format!("{} and {}", self.database(), self.warehouse())
    }

    /// Refuses existing data, unless it is from a move of this instance.
    pub async fn claim(&self, id: &str) -> anyhow::Result<()> {
        let database = transfer_marker::look(&self.database_url).await?;
        let events = self.events.transfer_state().await.context("warehouse")?;
        match &database {
            Found::Used(table) => {
                bail!("--database: not empty, it has a table {table}")
            }
            Found::Begun(other) if other != id => {
                bail!("--database: another instance is being moved to it")
            }
            Found::Begun(_) | Found::Empty => {}
        }
        match &events {
            TransferState::Used(table) => {
                bail!("--warehouse: not empty, it has a table {table}")
            }
            TransferState::Begun(other) if other != id => {
                bail!("--warehouse: another instance is being moved to it")
            }
            TransferState::Begun(_) | TransferState::Empty => {}
        }
        if database == Found::Empty {
            transfer_marker::begin(&self.database_url, id).await?;
        }
        Ok(())
    }

    pub async fn is_claimed_by(&self, id: &str) -> anyhow::Result<bool> {
        Ok(transfer_marker::look(&self.database_url).await? == Found::Begun(id.to_owned()))
    }

    /// Brings the database's schema up to date.
    pub async fn make_tables(&self) -> anyhow::Result<()> {
        let db = Db::open(&self.database_url).await.context("database")?;
        let made = db.migrate(|| Ok(())).await;
        db.close().await;
        made.map(drop)
    }

    /// Verifies every chain of the audit log. Returns how many entries there are.
    pub async fn check_audit(&self, keyring: &Keyring) -> anyhow::Result<u64> {
        let db = Db::open(&self.database_url).await.context("database")?;
        let checked = match db.read().await {
            Ok(mut connection) => audit::verify(&mut connection, keyring).await,
            Err(error) => Err(error),
        };
        db.close().await;
        let (entries, faults) = checked?;
        if let Some(fault) = faults.first() {
            let (chain, seq, what) = (&fault.chain, fault.seq, fault.what);
            bail!("the audit log fails verification: chain {chain}, entry {seq} {what}");
        }
        Ok(entries)
    }

    /// Marks both stores as complete, so that a server may start on them. The mark that prevents that is
    /// removed last.
    pub async fn finish(
        &self,
        clock: Clock,
        entropy: Entropy,
        keyring: Arc<Keyring>,
    ) -> anyhow::Result<()> {
        self.events.end_transfer().await.context("warehouse")?;
        let db = Db::open(&self.database_url).await.context("database")?;
        db.equip(clock, entropy, keyring);
        let work = async {
            let mut tx = db.write().await?;
            let event = Event::without_target("instance.move", "instance");
            audit::append(&mut tx, &Actor::operator(), event).await?;
            transfer_marker::end(&mut tx).await?;
            tx.commit().await
        };
        let done = work.await;
        db.close().await;
        Ok(done?)
    }
}

/// Host and database.
fn bare(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}{port}{}", url.host_str().unwrap_or("localhost"), url.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(database: &str, warehouse: &str) -> Options {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Options { database: some(database), warehouse: some(warehouse), to: None }
    }

    #[tokio::test]
    async fn what_cannot_be_moved_to_is_refused_and_no_password_shown() {
        let good =
            ("postgres://an:hunter2@db:5433/main?sslmode=require", "http://u:hunter2@ch:1/x");
        for (database, warehouse, said) in [
            ("", good.1, "--database must name"),
            (good.0, "", "--warehouse must name"),
            ("sqlite:hunter2.db", good.1, "--database: must begin"),
            ("mysql://hunter2", good.1, "database_url: "),
            (good.0, "ftp://hunter2", "warehouse_url: "),
            (
                good.0,
                "http://u:hunter2@ch:1/x?cluster=main&replicated=1",
                "--warehouse: moving to a cluster",
            ),
        ] {
            let Err(error) = Destination::read(&options(database, warehouse)) else {
                panic!("{database} and {warehouse} are taken");
            };
            let text = format!("{error:#}");
            assert!(text.starts_with(said) && !text.contains("hunter2"), "{text}");
        }
        for warehouse in [good.1, "http://u:hunter2@ch:1/x?cluster=main&shards=a,b"] {
            let taken = Destination::read(&options(good.0, warehouse)).unwrap();
            assert_eq!(taken.shown(), "db:5433/main and ch:1/x");
        }
    }

    #[tokio::test]
    async fn the_file_of_the_server_to_come_says_where() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new.toml");
        let text = "listen = \"127.0.0.1:1\"\ndatabase_url = \"postgres://db/a\"\n\
                    warehouse_url = \"http://ch:8123/b\"\n";
        std::fs::write(&file, text).unwrap();
        let options = Options { to: Some(file), ..options("", "http://other:8123/c") };
        let taken = Destination::read(&options).unwrap();
        assert_eq!(taken.shown(), "db/a and other:8123/c", "a flag wins over the file");
    }
}
