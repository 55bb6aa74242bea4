//! The address of the running embedded engine, written to a file for commands run beside the server that
//! started it. Only the server's own user can read the file: it gives access to the tables. It is
//! removed when the engine ends; one left behind by a killed server no longer opens anything.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use url::Url;

use crate::engine;
use crate::location::own_names;

const NAME: &str = "engine.address";

#[derive(Serialize, Deserialize)]
struct Written {
    port: u16,
    secret: String,
}

/// The file, for as long as the engine lives.
pub(crate) struct AddressFile(PathBuf);

impl AddressFile {
    pub fn write(folder: &Path, port: u16, secret: &str) -> std::io::Result<Self> {
        let this = Self(folder.join(NAME));
        let draft = folder.join(format!("{NAME}.new"));
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        let written = Written { port, secret: secret.to_owned() };
        file.write_all(&serde_json::to_vec(&written)?)?;
        std::fs::rename(&draft, &this.0)?;
        Ok(this)
    }
}

impl Drop for AddressFile {
    fn drop(&mut self) {
        // A file left behind only names an engine that is gone, and does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The address of the engine that a server is running on a store's folder, as a `warehouse_url`.
pub fn running_engine(folder: &Path) -> Option<Url> {
    if !engine::is_running(folder) {
        return None;
    }
    let written = std::fs::read(folder.join(NAME)).ok()?;
    let written: Written = serde_json::from_slice(&written).ok()?;
    url(written.port, &written.secret, &own_names().database)
}

pub(crate) fn url(port: u16, secret: &str, database: &str) -> Option<Url> {
    Url::parse(&format!("http://default:{secret}@127.0.0.1:{port}/{database}")).ok()
}
