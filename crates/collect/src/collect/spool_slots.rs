//! The slots for spools in a data folder, one for each server that uses it, and what can be learned about
//! them from outside.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::spool_last::LastWritten;
use super::spool_repair;

pub const FILE: &str = "spool.db";
/// Maximum number of servers sharing a data folder; more than anyone runs on one machine.
pub const SLOTS: u32 = 16;

pub fn slot_folder(data_dir: &Path, slot: u32) -> PathBuf {
    data_dir.join("spool").join(slot.to_string())
}

/// None while another server holds it.
pub fn try_lock(folder: &Path) -> anyhow::Result<Option<File>> {
    let file = folder.join("lock");
    let lock =
        File::create(&file).with_context(|| format!("{} cannot be written", file.display()))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Only looks and creates nothing, so that it also works on a read-only disk.
pub fn is_held(folder: &Path) -> anyhow::Result<bool> {
    let lock = match File::open(folder.join("lock")) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        lock => lock?,
    };
    match lock.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(std::fs::TryLockError::WouldBlock) => Ok(true),
        Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Messages waiting in all spools of a data folder, as far as their servers recorded it.
pub fn waiting_in(data_dir: &Path) -> i64 {
    (1..=SLOTS)
        .filter_map(|slot| LastWritten::read(&slot_folder(data_dir, slot).join(FILE)))
        .map(|last| last.waiting)
        .sum()
}

/// The notes of all spools in a data folder.
pub fn notes_in(data_dir: &Path) -> Vec<String> {
    (1..=SLOTS).flat_map(|slot| spool_repair::notes(&slot_folder(data_dir, slot))).collect()
}
