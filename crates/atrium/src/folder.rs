//! Folders of ours: others on the machine have no business in there.

use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use anyhow::Context;

/// Makes the folder, and those above it that are missing, for this user alone. One that is there
/// keeps its permissions.
pub fn make_private(folder: &Path) -> anyhow::Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .with_context(|| format!("{} cannot be made", folder.display()))
}
