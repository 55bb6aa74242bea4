//! The instance's master key: made on first start or given by a setting, never stored in the
//! database. The database keeps its fingerprint, so that a server with another key refuses to
//! start instead of failing at the first secret.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::ChaCha20Poly1305;
use chacha20poly1305::aead::{Aead, Payload};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::config::StoreSettings;
use crate::db::Db;
use crate::types::Entropy;

pub const KEY_FILE: &str = "master.key";

#[derive(Clone)]
pub struct Keyring {
    master: [u8; 32],
}

impl std::fmt::Debug for Keyring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Keyring({})", self.fingerprint())
    }
}

impl Keyring {
    /// The key that this database was made with, or a new one for a new database.
    pub async fn open(stores: &StoreSettings, db: &Db, entropy: &Entropy) -> anyhow::Result<Self> {
        let expected = stored_fingerprint(db).await?;
        if stores.master_key.is_none() {
            refuse_open_file(&stores.data_dir.join(KEY_FILE))?;
        }
        let keyring = match Self::find(stores)? {
            Some(keyring) => keyring,
            None if expected.is_some() => bail!(
                "master_key: this database was made with a key that is neither in the settings nor \
                 in {}; bring that key back, a new one could not read what it encrypted",
                stores.data_dir.join(KEY_FILE).display()
            ),
            None => Self::make(&stores.data_dir.join(KEY_FILE), entropy)?,
        };
        keyring.claim(db).await?;
        Ok(keyring)
    }

    /// The key from the setting or the file, if there is one.
    pub fn find(stores: &StoreSettings) -> anyhow::Result<Option<Self>> {
        let file = stores.data_dir.join(KEY_FILE);
        match &stores.master_key {
            Some(text) => Self::parse(text).context("master_key").map(Some),
            None if file.exists() => {
                let text = std::fs::read_to_string(&file)
                    .with_context(|| format!("{} cannot be read", file.display()))?;
                Self::parse(&text).with_context(|| file.display().to_string()).map(Some)
            }
            None => Ok(None),
        }
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let bytes = STANDARD.decode(text.trim()).ok();
        let master = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        Ok(Self { master: master.context("a master key is 32 bytes in Base64")? })
    }

    /// Writes a new key under a name of its own and links it into place: of two instances that
    /// start at once, one wins, and both read the winner's.
    fn make(file: &Path, entropy: &Entropy) -> anyhow::Result<Self> {
        let suffix = u64::from_be_bytes(entropy.bytes());
        let draft = file.with_extension(format!("key.{suffix:016x}"));
        let mut out = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft)
            .with_context(|| format!("{} cannot be written", draft.display()))?;
        writeln!(out, "{}", STANDARD.encode(entropy.bytes::<32>()))?;
        out.sync_all()?;
        let linked = std::fs::hard_link(&draft, file);
        std::fs::remove_file(&draft)?;
        // The name must be on the disk before the database remembers the fingerprint.
        if let Some(folder) = file.parent() {
            std::fs::File::open(folder)?.sync_all()?;
        }
        match linked {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(error).with_context(|| format!("{} cannot be written", file.display()))
            }
            _ => Self::parse(&std::fs::read_to_string(file)?),
        }
    }

    /// Writes our fingerprint into a database that has none, and compares it with one that has.
    async fn claim(&self, db: &Db) -> anyhow::Result<()> {
        let mut tx = db.write().await?;
        sqlx::query("UPDATE instance SET key_fingerprint = $1 WHERE key_fingerprint IS NULL")
            .bind(self.fingerprint())
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        match stored_fingerprint(db).await? {
            Some(stored) if stored == self.fingerprint() => Ok(()),
            stored => bail!(
                "master_key: this database was made with another key (fingerprint {}, this one is {})",
                stored.unwrap_or_default(),
                self.fingerprint()
            ),
        }
    }

    pub fn fingerprint(&self) -> String {
        self.derive("fingerprint")[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// A key for one purpose, so that no two uses share one.
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        mac(&self.master, &[b"atrium/", purpose.as_bytes()])
    }
}

impl Keyring {
    /// Encrypts under a key of the purpose's own. The result is text for a column.
    pub fn seal(&self, purpose: &str, plain: &[u8], entropy: &Entropy) -> anyhow::Result<String> {
        let nonce: [u8; 12] = entropy.bytes();
        let payload = Payload { msg: plain, aad: purpose.as_bytes() };
        let sealed = self.cipher(purpose).encrypt(&nonce.into(), payload);
        let sealed = sealed.map_err(|_| anyhow::anyhow!("encryption failed"))?;
        Ok(STANDARD.encode([nonce.as_slice(), &sealed].concat()))
    }

    pub fn open_sealed(&self, purpose: &str, sealed: &str) -> anyhow::Result<Vec<u8>> {
        let bytes = STANDARD.decode(sealed)?;
        let (nonce, sealed) = bytes.split_at_checked(12).context("too short to be sealed")?;
        let nonce: [u8; 12] = nonce.try_into()?;
        let payload = Payload { msg: sealed, aad: purpose.as_bytes() };
        self.cipher(purpose)
            .decrypt(&nonce.into(), payload)
            .map_err(|_| anyhow::anyhow!("sealed with another key, or changed since"))
    }

    fn cipher(&self, purpose: &str) -> ChaCha20Poly1305 {
        ChaCha20Poly1305::new(&self.derive(&format!("seal/{purpose}")).into())
    }
}

/// A key that others on the machine can read protects nothing: the server does not start with it.
fn refuse_open_file(file: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file).map_or(0, |about| about.permissions().mode());
    if mode & 0o077 != 0 {
        bail!(
            "master_key: {} can be read by other users (mode {:o}); run `chmod 600` on it, and \
             consider who has read it",
            file.display(),
            mode & 0o777
        );
    }
    Ok(())
}

pub async fn stored_fingerprint(db: &Db) -> anyhow::Result<Option<String>> {
    let mut connection = db.read().await?;
    Ok(sqlx::query_scalar("SELECT key_fingerprint FROM instance")
        .fetch_one(&mut *connection)
        .await?)
}

/// HMAC-SHA256 over the parts in a row.
pub fn mac(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // HMAC pads a key to its block, which for SHA-256 is 64 bytes.
    let mut block = [0_u8; 64];
    block[..32].copy_from_slice(key);
    let mut mac = Hmac::<Sha256>::new(&block.into());
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_only_its_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("atrium-key-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join(KEY_FILE);
        let first = Keyring::make(&file, &Entropy).unwrap();
        let second = Keyring::make(&file, &Entropy).unwrap();
        assert_eq!(first.fingerprint(), second.fingerprint());
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_sealed_opens_with_its_key_and_purpose_only() {
        let keyring = Keyring::parse(&STANDARD.encode([7_u8; 32])).unwrap();
        let other = Keyring::parse(&STANDARD.encode([8_u8; 32])).unwrap();
        let sealed = keyring.seal("mail", b"042137", &Entropy).unwrap();
        assert_ne!(sealed, keyring.seal("mail", b"042137", &Entropy).unwrap());
        assert_eq!(keyring.open_sealed("mail", &sealed).unwrap(), b"042137");
        assert!(keyring.open_sealed("key", &sealed).is_err());
        assert!(other.open_sealed("mail", &sealed).is_err());
        assert!(keyring.open_sealed("mail", "c2hvcnQ=").is_err());
    }

    #[test]
    fn purposes_have_keys_of_their_own() {
        let keyring = Keyring::parse(&STANDARD.encode([7_u8; 32])).unwrap();
        assert_ne!(keyring.derive("a"), keyring.derive("b"));
        assert!(Keyring::parse("short").is_err());
        assert!(!format!("{keyring:?}").contains(&STANDARD.encode([7_u8; 32])));
    }
}
