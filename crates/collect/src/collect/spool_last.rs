//! A small file beside the spool that records what was written last: without it nobody could tell that
//! the end of the log is missing. It is written after each commit and never forced to the disk, so after
//! a power failure it may be older than the spool, never newer.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::spool_repair::beside;

const ENDING: &str = ".last";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastWritten {
    /// The number of the last group.
    pub seq: i64,
    /// How many messages were waiting then.
    pub waiting: i64,
}

impl LastWritten {
    /// None if nothing was recorded, or nothing valid.
    pub fn read(spool: &Path) -> Option<Self> {
        let bytes = std::fs::read(beside(spool, ENDING)).ok()?;
        let (seq, waiting) = bytes.split_at_checked(8)?;
        let last = Self {
            seq: i64::from_le_bytes(seq.try_into().ok()?),
            waiting: i64::from_le_bytes(waiting.try_into().ok()?),
        };
        (last.seq >= 0 && last.waiting >= 0).then_some(last)
    }
}

/// The open file.
pub struct LastFile {
    file: Option<File>,
    written: Option<LastWritten>,
}

impl LastFile {
    pub fn open(spool: &Path) -> Self {
        let path = beside(spool, ENDING);
        let file =
            OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        if let Err(error) = &file {
            tracing::warn!(%error, file = %path.display(), "cannot be written");
        }
        Self { file: file.ok(), written: None }
    }

    /// Takes one system call, and does not wait for the disk.
    pub fn write(&mut self, last: LastWritten) {
        if self.written == Some(last) {
            return;
        }
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&last.seq.to_le_bytes());
        bytes[8..].copy_from_slice(&last.waiting.to_le_bytes());
        let done = self.file.as_ref().is_some_and(|file| file.write_all_at(&bytes, 0).is_ok());
        self.written = done.then_some(last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let spool = folder.path().join("spool.db");
        assert_eq!(LastWritten::read(&spool), None);
        let mut file = LastFile::open(&spool);
        assert_eq!(LastWritten::read(&spool), None, "nothing was written yet");
        for seq in [1, 7, 1 << 40] {
            let last = LastWritten { seq, waiting: seq * 2 };
            file.write(last);
            assert_eq!(LastWritten::read(&spool), Some(last));
        }
        std::fs::write(beside(&spool, ENDING), b"short").unwrap();
        assert_eq!(LastWritten::read(&spool), None);
    }
}
