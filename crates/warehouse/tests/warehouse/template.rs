//! A store with its tables in place. They are made once for each test binary and copied for every test,
//! because making them takes longer than starting the engine. The program's tests use this too.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::OnceCell;
use warehouse::{Location, Warehouse};

enum Entry {
    Folder,
    File(Vec<u8>),
    Link(PathBuf),
}

type Tree = Vec<(PathBuf, Entry)>;

/// Puts a copy into the folder. `at` makes the engine's location from a folder.
pub async fn copy_to(folder: &Path, at: impl FnOnce(&Path) -> Location) {
    static MADE: OnceCell<Tree> = OnceCell::const_new();
    let made = MADE.get_or_init(|| async {
        let folder = tempfile::tempdir().unwrap();
        let warehouse = Warehouse::open(at(folder.path()));
        warehouse.ready(Duration::from_secs(60)).await.unwrap();
        warehouse.stop().await;
        let mut tree = Tree::new();
        read(folder.path(), Path::new(""), &mut tree);
        tree
    });
    fs::create_dir_all(folder).unwrap();
    for (path, entry) in made.await {
        let path = folder.join(path);
        match entry {
            Entry::Folder => fs::create_dir(path).unwrap(),
            Entry::File(content) => fs::write(path, content).unwrap(),
            Entry::Link(to) => symlink(to, path).unwrap(),
        }
    }
}

/// Folders come before their content.
fn read(root: &Path, below: &Path, tree: &mut Tree) {
    for entry in fs::read_dir(root.join(below)).unwrap().map(Result::unwrap) {
        let path = below.join(entry.file_name());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            tree.push((path.clone(), Entry::Folder));
            read(root, &path, tree);
        } else if kind.is_symlink() {
            tree.push((path, Entry::Link(fs::read_link(entry.path()).unwrap())));
        } else {
            tree.push((path, Entry::File(fs::read(entry.path()).unwrap())));
        }
    }
}
