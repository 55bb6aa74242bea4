//! The instance's master key: made on first start or given by a setting, never stored in the database.
//! The database keeps its fingerprint, so that a server with a different key refuses to start instead
//! of failing at the first secret. `db/master_key.rs` reads and writes the fingerprint; `key_rotation`
//! replaces the key while servers run.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::ChaCha20Poly1305;
use chacha20poly1305::aead::{Aead, Payload};
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::RwLock;
use sha2::Sha256;

use crate::config::StoreSettings;
use crate::types::Entropy;

pub const KEY_FILE: &str = "master.key";
/// The purpose under which the instance's first key is sealed.
const ROOT: &str = "root-key";

/// The keys a server knows. The database says which one is in use: `key_rotation` changes that while
/// servers run.
pub struct Keyring {
    pub(crate) keys: RwLock<Arc<Keys>>,
    /// Where to look for keys again when a value names an unknown one.
    pub(crate) stores: StoreSettings,
}

pub(crate) struct Keys {
    current: MasterKey,
    /// The previous key, and the next one.
    others: Vec<MasterKey>,
    /// The instance's first key. Whatever must survive a rotation is derived from it.
    root: MasterKey,
}

#[derive(Clone, PartialEq, Eq)]
pub struct MasterKey([u8; 32]);

impl std::fmt::Debug for Keyring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Keyring({})", self.fingerprint())
    }
}

impl Keyring {
    fn keys(&self) -> Arc<Keys> {
        self.keys.read().clone()
    }

    pub fn current(&self) -> MasterKey {
        self.keys().current.clone()
    }

    pub fn fingerprint(&self) -> String {
        self.keys().current.fingerprint()
    }

    /// The instance's first key, in the form the database keeps once `next` is in use.
    pub fn seal_root(&self, next: &MasterKey, entropy: &Entropy) -> anyhow::Result<String> {
        next.seal(ROOT, &self.keys().root.0, entropy)
    }

    /// A key for one purpose, so that no two uses share a key. It stays the same when the master key is
    /// rotated.
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        self.keys().root.derive(purpose)
    }

    /// Encrypts under a key derived for the purpose. The result is text for a column, prefixed with the
    /// key's fingerprint unless it is the instance's first key.
    pub fn seal(&self, purpose: &str, plain: &[u8], entropy: &Entropy) -> anyhow::Result<String> {
        let keys = self.keys();
        let sealed = keys.current.seal(purpose, plain, entropy)?;
        Ok(match keys.current == keys.root {
            true => sealed,
            false => format!("{}.{sealed}", keys.current.fingerprint()),
        })
    }

    pub fn open_sealed(&self, purpose: &str, sealed: &str) -> anyhow::Result<Vec<u8>> {
        let keys = self.keys();
        let Some((fingerprint, sealed)) = sealed.split_once('.') else {
            return keys.root.open_sealed(purpose, sealed);
        };
        if let Some(key) = keys.named(fingerprint) {
            return key.open_sealed(purpose, sealed);
        }
        // Another instance has rotated the key since this one last looked. Blocking is fine here: it
        // reads a few bytes of a local file, once per rotation.
        let fresh = MasterKey::find(&self.stores)?;
        let key = fresh.iter().find(|key| key.fingerprint() == fingerprint);
        let key = key.with_context(|| format!("the master key {fingerprint} is unknown here"))?;
        key.open_sealed(purpose, sealed)
    }
}

impl Keys {
    /// Picks the key that the database says is in use.
    pub(crate) fn among(mut keys: Vec<MasterKey>, stored: &StoredKey) -> anyhow::Result<Self> {
        let stored_print = stored.fingerprint.clone().unwrap_or_default();
        let Some(place) = keys.iter().position(|key| key.fingerprint() == stored_print) else {
            let ours: Vec<_> = keys.iter().map(MasterKey::fingerprint).collect();
            bail!(
                "master_key: this database was created with a different key (fingerprint \
                 {stored_print}; this one is {})",
                ours.join(", ")
            );
        };
        let current = keys.remove(place);
        let root = match &stored.root_sealed {
            None => current.clone(),
            Some(sealed) => {
                let bytes = current.open_sealed(ROOT, sealed)?;
                MasterKey(bytes.try_into().ok().context("the first key is not 32 bytes long")?)
            }
        };
        Ok(Self { current, others: keys, root })
    }

    fn named(&self, fingerprint: &str) -> Option<&MasterKey> {
        let mut known = std::iter::once(&self.current).chain(&self.others).chain([&self.root]);
        known.find(|key| key.fingerprint() == fingerprint)
    }
}

impl MasterKey {
    /// The keys of the settings or the file: the one to use, then those it replaces.
    pub fn find(stores: &StoreSettings) -> anyhow::Result<Vec<Self>> {
        let file = stores.data_dir.join(KEY_FILE);
        match &stores.master_key {
            Some(text) => {
                let mut keys = vec![Self::parse(text).context("master_key")?];
                if let Some(text) = &stores.master_key_previous {
                    keys.push(Self::parse(text).context("master_key_previous")?);
                }
                Ok(keys)
            }
            None if file.exists() => {
                let text = std::fs::read_to_string(&file)
                    .with_context(|| format!("{} cannot be read", file.display()))?;
                Self::parse_lines(&text).with_context(|| file.display().to_string())
            }
            None => Ok(Vec::new()),
        }
    }

    /// One key per line.
    fn parse_lines(text: &str) -> anyhow::Result<Vec<Self>> {
        let keys: Vec<Self> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(Self::parse)
            .collect::<anyhow::Result<_>>()?;
        if keys.is_empty() {
            bail!("a master key must be 32 bytes in Base64")
        }
        Ok(keys)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let bytes = STANDARD.decode(text.trim()).ok();
        let master = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        Ok(Self(master.context("a master key must be 32 bytes in Base64")?))
    }

    /// Writes a new key under a temporary name and links it into place: if two instances start at once,
    /// one wins, and both read the winner's key.
    pub(crate) fn make(file: &Path, entropy: &Entropy) -> anyhow::Result<Self> {
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
        // The file name must be on the disk before the database records the fingerprint.
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

    /// Replaces the key file atomically, and syncs it to the disk before anything depends on it.
    pub fn write(file: &Path, keys: &[&Self], entropy: &Entropy) -> anyhow::Result<()> {
        let suffix = u64::from_be_bytes(entropy.bytes());
        let draft = file.with_extension(format!("key.{suffix:016x}"));
        let mut options = std::fs::OpenOptions::new();
        let out = options.write(true).create_new(true).mode(0o600).open(&draft);
        let mut out = out.with_context(|| format!("{} cannot be written", draft.display()))?;
        for key in keys {
            writeln!(out, "{}", STANDARD.encode(key.0))?;
        }
        out.sync_all()?;
        std::fs::rename(&draft, file)
            .with_context(|| format!("{} cannot be written", file.display()))?;
        if let Some(folder) = file.parent() {
            std::fs::File::open(folder)?.sync_all()?;
        }
        Ok(())
    }

    pub fn random(entropy: &Entropy) -> Self {
        Self(entropy.bytes())
    }

    pub fn fingerprint(&self) -> String {
        hex::encode(&self.derive("fingerprint")[..8])
    }

    fn derive(&self, purpose: &str) -> [u8; 32] {
        mac(&self.0, &[b"atrium/", purpose.as_bytes()])
    }

    fn seal(&self, purpose: &str, plain: &[u8], entropy: &Entropy) -> anyhow::Result<String> {
        let nonce: [u8; 12] = entropy.bytes();
        let payload = Payload { msg: plain, aad: purpose.as_bytes() };
        let sealed = self.cipher(purpose).encrypt(&nonce.into(), payload);
        let sealed = sealed.map_err(|_| anyhow::anyhow!("encryption failed"))?;
        Ok(STANDARD.encode([nonce.as_slice(), &sealed].concat()))
    }

    fn open_sealed(&self, purpose: &str, sealed: &str) -> anyhow::Result<Vec<u8>> {
        let bytes = STANDARD.decode(sealed)?;
        let (nonce, sealed) = bytes.split_at_checked(12).context("too short to be sealed")?;
        let nonce: [u8; 12] = nonce.try_into()?;
        let payload = Payload { msg: sealed, aad: purpose.as_bytes() };
        self.cipher(purpose)
            .decrypt(&nonce.into(), payload)
            .map_err(|_| anyhow::anyhow!("sealed with another key, or modified since"))
    }

    fn cipher(&self, purpose: &str) -> ChaCha20Poly1305 {
        ChaCha20Poly1305::new(&self.derive(&format!("seal/{purpose}")).into())
    }
}

/// The database's record of the key.
#[derive(sqlx_macros::FromRow)]
pub struct StoredKey {
    #[sqlx(rename = "key_fingerprint")]
    pub fingerprint: Option<String>,
    root_sealed: Option<String>,
    /// The fingerprint of the previous key, while values are still sealed under it.
    pub key_rotating_from: Option<String>,
}

/// A key that others on the machine can read protects nothing, so the server refuses to start with it.
pub(crate) fn refuse_open_file(file: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file).map_or(0, |about| about.permissions().mode());
    if mode & 0o077 != 0 {
        bail!(
            "master_key: {} can be read by other users (mode {:o}); run `chmod 600` on it, and \
             consider who may have read it",
            file.display(),
            mode & 0o777
        );
    }
    Ok(())
}

/// HMAC-SHA256 over the concatenated parts.
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
        let first = MasterKey::make(&file, &Entropy).unwrap();
        let second = MasterKey::make(&file, &Entropy).unwrap();
        assert_eq!(first.fingerprint(), second.fingerprint());
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_sealed_opens_with_its_key_and_purpose_only() {
        let keyring = MasterKey::parse(&STANDARD.encode([7_u8; 32])).unwrap();
        let other = MasterKey::parse(&STANDARD.encode([8_u8; 32])).unwrap();
        let sealed = keyring.seal("mail", b"042137", &Entropy).unwrap();
        assert_ne!(sealed, keyring.seal("mail", b"042137", &Entropy).unwrap());
        assert_eq!(keyring.open_sealed("mail", &sealed).unwrap(), b"042137");
        assert!(keyring.open_sealed("key", &sealed).is_err());
        assert!(other.open_sealed("mail", &sealed).is_err());
        assert!(keyring.open_sealed("mail", "c2hvcnQ=").is_err());
    }

    #[test]
    fn purposes_have_keys_of_their_own() {
        let keyring = MasterKey::parse(&STANDARD.encode([7_u8; 32])).unwrap();
        assert_ne!(keyring.derive("a"), keyring.derive("b"));
        assert!(MasterKey::parse("short").is_err());
    }
}
