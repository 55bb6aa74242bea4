//! The database's side of the master key: it says which of the available keys is in use.

use std::sync::Arc;

use anyhow::bail;
use parking_lot::RwLock;

use super::Db;
use crate::config::StoreSettings;
use crate::keyring::{KEY_FILE, Keyring, Keys, MasterKey, StoredKey, refuse_open_file};
use crate::types::Entropy;

impl Keyring {
    /// The key that this database was made with, or a new one for a new database.
    pub async fn open(stores: &StoreSettings, db: &Db, entropy: &Entropy) -> anyhow::Result<Self> {
        let expected = stored_fingerprint(db).await?;
        if stores.master_key.is_none() {
            refuse_open_file(&stores.data_dir.join(KEY_FILE))?;
        }
        let mut keys = MasterKey::find(stores)?;
        if keys.is_empty() {
            if expected.is_some() {
                bail!(
                    "master_key: this database was created with a key that is neither in the \
                     settings nor in {}; bring that key back, because a new one cannot decrypt \
                     what it encrypted",
                    stores.data_dir.join(KEY_FILE).display()
                );
            }
            keys.push(MasterKey::make(&stores.data_dir.join(KEY_FILE), entropy)?);
        }
        keys[0].claim(db).await?;
        Self::among(stores, db, keys).await
    }

    /// The keys of a database that already has a fingerprint, without changing anything.
    pub async fn look(stores: &StoreSettings, db: &Db) -> anyhow::Result<Self> {
        Self::among(stores, db, MasterKey::find(stores)?).await
    }

    async fn among(stores: &StoreSettings, db: &Db, keys: Vec<MasterKey>) -> anyhow::Result<Self> {
        let stored = StoredKey::read(db).await?;
        let keys = RwLock::new(Arc::new(Keys::among(keys, &stored)?));
        Ok(Self { keys, stores: stores.clone() })
    }

    /// Switches to the key that the database says is in use. True if that was a change.
    pub async fn refresh(&self, db: &Db) -> anyhow::Result<bool> {
        let stored = StoredKey::read(db).await?;
        if stored.fingerprint.as_deref() == Some(&self.fingerprint()) {
            return Ok(false);
        }
        let keys = Keys::among(MasterKey::find(&self.stores)?, &stored)?;
        *self.keys.write() = Arc::new(keys);
        Ok(true)
    }
}

impl MasterKey {
    /// Writes our fingerprint into a database that has none yet.
    async fn claim(&self, db: &Db) -> anyhow::Result<()> {
        let mut tx = db.write().await?;
        sqlx::query("UPDATE instance SET key_fingerprint = $1 WHERE key_fingerprint IS NULL")
            .bind(self.fingerprint())
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(())
    }
}

impl StoredKey {
    pub async fn read(db: &Db) -> anyhow::Result<Self> {
        let mut connection = db.read().await?;
        let sql = "SELECT key_fingerprint, root_sealed, key_rotating_from FROM instance";
        Ok(sqlx::query_as(sql).fetch_one(&mut *connection).await?)
    }
}

async fn stored_fingerprint(db: &Db) -> anyhow::Result<Option<String>> {
    Ok(StoredKey::read(db).await?.fingerprint)
}
