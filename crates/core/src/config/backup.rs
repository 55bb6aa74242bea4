//! Settings for the server's own scheduled backups.

use std::path::PathBuf;

use anyhow::bail;

use super::RawSettings;
use crate::types::Millis;

const HOURS_MAX: u64 = 24 * 366;
const KEEP_MAX: usize = 10_000;

/// When and where the server makes backups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupSettings {
    pub folder: PathBuf,
    /// In milliseconds.
    pub every: i64,
    pub keep: usize,
}

/// None: no scheduled backups.
pub(super) fn check(raw: &RawSettings) -> anyhow::Result<Option<BackupSettings>> {
    let hours = raw.backup_every_hours.unwrap_or(0);
    if hours > HOURS_MAX {
        bail!("backup_every_hours: {hours} is more than {HOURS_MAX}");
    }
    let keep = raw.backup_keep.unwrap_or(7);
    if !(1..=KEEP_MAX).contains(&keep) {
        bail!("backup_keep: must be between 1 and {KEEP_MAX}");
    }
    match (&raw.backup_folder, i64::try_from(hours)?) {
        (_, 0) => Ok(None),
        (None, _) => bail!("backup_every_hours: also requires backup_folder"),
        (Some(folder), hours) => {
            Ok(Some(BackupSettings { folder: folder.clone(), every: hours * Millis::HOUR, keep }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_and_a_folder_go_together() {
        let raw = |hours, folder: Option<&str>, keep| RawSettings {
            backup_every_hours: hours,
            backup_folder: folder.map(PathBuf::from),
            backup_keep: keep,
            ..Default::default()
        };
        assert_eq!(check(&raw(None, None, None)).unwrap(), None);
        assert_eq!(check(&raw(Some(0), Some("/b"), None)).unwrap(), None);
        let set = check(&raw(Some(24), Some("/b"), Some(3))).unwrap().unwrap();
        assert_eq!((set.every, set.keep), (Millis::DAY, 3));
        let refused = |raw| check(&raw).unwrap_err().to_string();
        assert!(refused(raw(Some(24), None, None)).starts_with("backup_every_hours: "));
        assert!(refused(raw(Some(10_000), Some("/b"), None)).starts_with("backup_every_hours: "));
        assert!(refused(raw(None, None, Some(0))).starts_with("backup_keep: "));
    }
}
