//! Our own folders, closed to other users of the machine.

use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use anyhow::Context;

/// Makes the folder and any missing parents, accessible to this user alone. An existing folder keeps
/// its permissions.
pub fn make_private(folder: &Path) -> anyhow::Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .with_context(|| format!("{} cannot be created", folder.display()))
}

/// Makes the data folder if it is missing. Errors name the setting.
pub fn prepare_data_dir(folder: &Path) -> anyhow::Result<()> {
    make_private(folder).and_then(|()| check_writable(folder)).context("data_dir")
}

/// Checks that files can be made and changed in a folder, without making one: its permissions allow it,
/// and the disk is not mounted read-only.
pub fn check_writable(folder: &Path) -> anyhow::Result<()> {
    use rustix::fs::Access;
    match rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::ROFS) => anyhow::bail!(
            "{} is on a disk that is mounted read-only; mount it read-write",
            folder.display()
        ),
        Err(error) => anyhow::bail!("{} cannot be written: {error}", folder.display()),
    }
}

/// The size of a folder's disk and what is left of it for this user, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub free: u64,
    pub size: u64,
}

pub fn room(folder: &Path) -> Option<Room> {
    let about = rustix::fs::statvfs(folder).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(about.f_frsize);
    Some(Room { free: bytes(about.f_bavail), size: bytes(about.f_blocks) })
}

/// Bytes left for this user on a folder's disk.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    room(folder).map(|room| room.free)
}
