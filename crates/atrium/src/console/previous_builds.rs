//! The console's files of other builds. A tab that was opened before an upgrade keeps requesting the
//! files of its build, so every server stores its own files in the data folder, and the next build
//! serves them for a day.
//!
//! `assets/BUILD/` has a build's files and `manifest.json`; `assets/BUILD.ended` records since when
//! another build runs. A URL is looked up in the manifests and never used as a path.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use parking_lot::RwLock;
use serde::{Deserialize, Serialize};

use crate::console;
use atrium_core::folder;
use atrium_core::types::{Entropy, Millis};

const FOLDER: &str = "assets";
const MANIFEST: &str = "manifest.json";
const ENDED: &str = "ended";
/// How long tabs of the previous build keep working.
pub const KEPT_FOR: i64 = Millis::DAY;
/// An interrupted start leaves its folder behind.
const ABANDONED_AFTER: i64 = Millis::HOUR;
/// How often a missing file triggers another look for builds stored by other servers.
const LOOK_AGAIN: i64 = 5 * Millis::SECOND;

#[derive(Serialize, Deserialize)]
struct Manifest {
    version: String,
    /// By the name below the client version; the compressed copies are separate files.
    files: BTreeMap<String, Entry>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    size: u64,
    sha256: String,
}

/// The files of another build.
struct Build {
    version: String,
    /// None while it still runs somewhere, as far as is known.
    ended_at: Option<Millis>,
    folder: PathBuf,
    files: HashMap<String, Entry>,
}

impl Build {
    fn is_over(&self, now: Millis) -> bool {
        self.ended_at.is_some_and(|ended_at| now.since(ended_at) >= KEPT_FOR)
    }
}

/// A file served from the data folder.
pub struct PreviousFile {
    folder: PathBuf,
    pub etag: String,
    /// The suffixes of its compressed copies.
    compressed: Vec<&'static str>,
    name: String,
}

impl PreviousFile {
    pub fn has(&self, suffix: &str) -> bool {
        self.compressed.contains(&suffix)
    }

    /// The file, or its compressed copy with this suffix. None if it was deleted since.
    pub async fn read(&self, suffix: Option<&str>) -> Option<Vec<u8>> {
        let name = match suffix {
            Some(suffix) => format!("{}.{suffix}", self.name),
            None => self.name.clone(),
        };
        tokio::fs::read(self.folder.join(name)).await.ok()
    }
}

pub struct PreviousBuilds {
    root: PathBuf,
    /// None if there is no console in the program.
    own: Option<String>,
    builds: RwLock<Vec<Build>>,
    /// Held while one request looks, so that others that miss a file wait for its result.
    looked_at: tokio::sync::Mutex<Millis>,
}

impl PreviousBuilds {
    pub fn new(data_dir: &Path) -> Self {
        Self {
            root: data_dir.join(FOLDER),
            own: console::build_id(),
            builds: RwLock::default(),
            looked_at: tokio::sync::Mutex::new(Millis(0)),
        }
    }

    /// Records that this build runs from now on, and all others no longer.
    pub fn take_over_blocking(&self, now: Millis) {
        if let Err(error) = self.store_files(now).and_then(|()| self.end_others(now)) {
            let error = format!("{error:#}");
            tracing::warn!(error, "could not keep the console's files for open tabs");
        }
        self.clean_up_blocking(now);
    }

    /// Records again that this build runs, and removes expired ones.
    pub fn clean_up_blocking(&self, now: Millis) -> u64 {
        if let Err(error) = self.store_files(now) {
            tracing::debug!("the console's files could not be kept: {error:#}");
        }
        let mut gone = 0;
        for id in self.ids() {
            let over = self.ended_at(&id, now).is_some_and(|ended| now.since(ended) >= KEPT_FOR);
            if over && Some(&id) != self.own.as_ref() && self.remove(&id).is_ok() {
                gone += 1;
            }
        }
        self.remove_abandoned(now);
        self.look(now);
        gone
    }

    fn lookup(&self, version: &str, name: &str, now: Millis) -> Option<PreviousFile> {
        let builds = self.builds.read();
        let of_version = builds.iter().filter(|build| build.version == version);
        of_version.filter(|build| !build.is_over(now)).find_map(|build| {
            let entry = build.files.get(name)?;
            let has = |suffix: &&str| build.files.contains_key(&format!("{name}.{suffix}"));
            Some(PreviousFile {
                folder: build.folder.clone(),
                etag: format!("\"{}\"", entry.sha256.get(..32).unwrap_or_default()),
                compressed: ["br", "gz"].into_iter().filter(has).collect(),
                name: name.to_owned(),
            })
        })
    }

    /// Stores this build's files if they are not there yet. They are written under a temporary name, so
    /// that nobody finds an incomplete build.
    fn store_files(&self, now: Millis) -> anyhow::Result<()> {
        let Some(own) = &self.own else { return Ok(()) };
        let target = self.root.join(own);
        if !target.join(MANIFEST).exists() {
            folder::make_private(&self.root)?;
            let making = self.root.join(format!(".{own}-{}", Entropy.id(now)));
            let made = write_build(&making).and_then(|()| match fs::rename(&making, &target) {
                // Another instance was faster, with the same files.
                Err(_) if target.join(MANIFEST).exists() => Ok(()),
                other => other.with_context(|| target.display().to_string()),
            });
            if making.exists() {
                let _ = fs::remove_dir_all(&making);
            }
            made?;
        }
        match fs::remove_file(self.marker(own)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn end_others(&self, now: Millis) -> anyhow::Result<()> {
        for id in self.ids().into_iter().filter(|id| Some(id) != self.own.as_ref()) {
            if self.ended_at(&id, now).is_none() {
                // Renamed into place, so that readers never find the file without its content.
                let making = self.root.join(format!(".{id}-{}", Entropy.id(now)));
                fs::write(&making, now.0.to_string())?;
                fs::rename(&making, self.marker(&id))?;
            }
        }
        Ok(())
    }

    fn marker(&self, id: &str) -> PathBuf {
        self.root.join(format!("{id}.{ENDED}"))
    }

    /// Since when another build runs; now, if the file cannot be read.
    fn ended_at(&self, id: &str, now: Millis) -> Option<Millis> {
        let text = fs::read_to_string(self.marker(id)).ok()?;
        Some(text.trim().parse().map_or(now, Millis))
    }

    /// All builds in the folder.
    fn ids(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.root).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| is_build_id(name)).collect()
    }

    fn remove(&self, id: &str) -> io::Result<()> {
        fs::remove_dir_all(self.root.join(id))?;
        fs::remove_file(self.marker(id))
    }

    fn remove_abandoned(&self, now: Millis) {
        for entry in fs::read_dir(&self.root).into_iter().flatten().flatten() {
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            let touched = entry.metadata().and_then(|about| about.modified()).ok();
            let touched = touched.and_then(|at| jiff::Timestamp::try_from(at).ok());
            let old =
                touched.is_some_and(|at| now.since(Millis(at.as_millisecond())) >= ABANDONED_AFTER);
            if hidden && old {
                let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
            }
        }
    }

    fn look(&self, now: Millis) {
        let others = self.ids().into_iter().filter(|id| Some(id) != self.own.as_ref());
        let mut builds: Vec<Build> = others
            .filter_map(|id| {
                let folder = self.root.join(&id);
                let ended_at = self.ended_at(&id, now);
                match read_build(folder, ended_at) {
                    Ok(build) => Some(build),
                    Err(error) => {
                        tracing::debug!("files of another build cannot be read: {error:#}");
                        None
                    }
                }
            })
            .collect();
        // The latest build comes first, so that its language packs are used.
        builds.sort_by_key(|build| std::cmp::Reverse(build.ended_at.map_or(i64::MAX, |at| at.0)));
        *self.builds.write() = builds;
    }
}

/// 32 hexadecimal digits: nothing else in the folder is a build.
fn is_build_id(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn write_build(folder: &Path) -> anyhow::Result<()> {
    let mut files = BTreeMap::new();
    for (name, file) in console::files() {
        let path = folder.join(&name);
        if let Some(parent) = path.parent() {
            folder::make_private(parent)?;
        }
        fs::write(&path, &file.data).with_context(|| path.display().to_string())?;
        let sha256 = hex::encode(file.metadata.sha256_hash());
        files.insert(name, Entry { size: file.data.len() as u64, sha256 });
    }
    let manifest = Manifest { version: super::CLIENT_VERSION.to_owned(), files };
    fs::write(folder.join(MANIFEST), serde_json::to_vec(&manifest)?)?;
    Ok(())
}

fn read_build(folder: PathBuf, ended_at: Option<Millis>) -> anyhow::Result<Build> {
    let text = fs::read(folder.join(MANIFEST))?;
    let Manifest { version, files } = serde_json::from_slice(&text)?;
    let files = files.into_iter().filter(|(name, entry)| {
        let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        // Skips files that a power cut left incomplete.
        let whole = fs::symlink_metadata(folder.join(name))
            .is_ok_and(|about| about.is_file() && about.len() == entry.size);
        plain && whole
    });
    let files = files.collect();
    Ok(Build { version, ended_at, folder, files })
}

impl PreviousBuilds {
    /// A file of another build, until that build expires.
    pub async fn find(
        self: &Arc<Self>,
        version: &str,
        name: &str,
        now: Millis,
    ) -> Option<PreviousFile> {
        if let Some(found) = self.lookup(version, name, now) {
            return Some(found);
        }
        let mut looked_at = self.looked_at.lock().await;
        // Looks again also if the last time is in the future.
        if !(0..LOOK_AGAIN).contains(&now.since(*looked_at)) {
            *looked_at = now;
            let this = self.clone();
            let _ = tokio::task::spawn_blocking(move || this.look(now)).await;
        }
        drop(looked_at);
        self.lookup(version, name, now)
    }

    /// Stores this build's files and finds those of others, when a server starts.
    pub async fn take_over(self: Arc<Self>, now: Millis) {
        let _ = tokio::task::spawn_blocking(move || self.take_over_blocking(now)).await;
    }

    /// Removes expired builds.
    pub async fn clean_up(self: Arc<Self>, now: Millis) -> anyhow::Result<u64> {
        Ok(tokio::task::spawn_blocking(move || self.clean_up_blocking(now)).await?)
    }
}
