//! The archive: a tar file whose entries are compressed one by one, so that each can be checked and read
//! separately, with any tool. It gets its name only when it is completely on disk.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use sha2::{Digest, Sha256};

use super::manifest::{Entry, Manifest};
use super::progress::Progress;

const MANIFEST: &str = "manifest.json";
/// The manifest has the checksums of all entries except its own.
const MANIFEST_SUM: &str = "manifest.json.sha256";
/// A year of events in monthly parts has some thousand entries of 300 bytes.
const MANIFEST_MAX: u64 = 1 << 30;
/// Most of the content is already compressed.
const LEVEL: i32 = 1;
const BUFFER: usize = 1 << 20;

pub struct ArchiveWriter {
    builder: tar::Builder<BufWriter<File>>,
    entries: Vec<Entry>,
    partial: Partial,
    output: PathBuf,
    made_at: u64,
}

/// The unfinished file, deleted on drop.
struct Partial(PathBuf);

impl Drop for Partial {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl ArchiveWriter {
    /// Starts an archive. `made_at` is in seconds.
    pub fn create(output: &Path, made_at: u64) -> anyhow::Result<Self> {
        refuse_existing(output)?;
        let partial = beside(output, ".partial");
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(0o600).open(&partial);
        let file = file.with_context(|| format!("{} cannot be written", partial.display()))?;
        Ok(Self {
            builder: tar::Builder::new(BufWriter::with_capacity(BUFFER, file)),
            entries: Vec::new(),
            partial: Partial(partial),
            output: output.to_owned(),
            made_at,
        })
    }

    /// Adds a compressed entry with the content that `write` produces.
    pub fn add(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let entry = self.append(name, |out| {
            let mut encoder = zstd::Encoder::new(out, LEVEL)?;
            encoder.include_checksum(true)?;
            write(&mut encoder)?;
            encoder.finish()?;
            Ok(())
        })?;
        self.entries.push(entry);
        Ok(())
    }

    /// The same with the content of a file.
    pub fn add_file(
        &mut self,
        name: &str,
        file: &Path,
        progress: &mut Progress,
    ) -> anyhow::Result<()> {
        let mut input = File::open(file).with_context(|| file.display().to_string())?;
        self.add(name, |out| copy(&mut input, out, progress))
    }

    /// The same with everything in a folder.
    pub fn add_folder(
        &mut self,
        name: &str,
        folder: &Path,
        progress: &mut Progress,
    ) -> anyhow::Result<()> {
        self.add(name, |out| {
            let mut inner = tar::Builder::new(Counted { inner: out, progress });
            inner.mode(tar::HeaderMode::Deterministic);
            inner.follow_symlinks(false);
            inner.append_dir_all("", folder).with_context(|| folder.display().to_string())?;
            inner.finish()?;
            Ok(())
        })
    }

    fn append(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
    ) -> anyhow::Result<Entry> {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_mode(0o600);
        header.set_mtime(self.made_at);
        let writer = self.builder.append_writer(&mut header, name)?;
        let mut summed = Summed { inner: writer, sum: Sha256::new(), bytes: 0 };
        write(&mut summed).with_context(|| name.to_owned())?;
        let Summed { inner, sum, bytes } = summed;
        inner.finish()?;
        Ok(Entry { name: name.to_owned(), bytes, sha256: hex::encode(sum.finalize()) })
    }

    /// Writes the manifest and gives the archive its name. Returns its size.
    pub fn finish(mut self, mut manifest: Manifest) -> anyhow::Result<u64> {
        manifest.entries = std::mem::take(&mut self.entries);
        let text = serde_json::to_vec_pretty(&manifest)?;
        let entry = self.append(MANIFEST, |out| Ok(out.write_all(&text)?))?;
        let sum = format!("{}  {MANIFEST}\n", entry.sha256);
        self.append(MANIFEST_SUM, |out| Ok(out.write_all(sum.as_bytes())?))?;
        let file = self.builder.into_inner()?.into_inner().map_err(|error| error.into_error())?;
        file.sync_all()?;
        let bytes = file.metadata()?.len();
        refuse_existing(&self.output)?;
        std::fs::rename(&self.partial.0, &self.output)
            .with_context(|| format!("{} cannot be written", self.output.display()))?;
        sync_folder_of(&self.output)?;
        Ok(bytes)
    }
}

pub fn refuse_existing(output: &Path) -> anyhow::Result<()> {
    ensure!(
        !output.exists(),
        "{} already exists, and existing files are not overwritten",
        output.display()
    );
    Ok(())
}

/// A file's name with another ending, in the same folder.
pub fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn sync_folder_of(file: &Path) -> anyhow::Result<()> {
    let folder = std::path::absolute(file)?;
    if let Some(folder) = folder.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Copies and reports progress.
pub fn copy(
    from: &mut dyn Read,
    to: &mut dyn Write,
    progress: &mut Progress,
) -> anyhow::Result<()> {
    std::io::copy(from, &mut Counted { inner: to, progress })?;
    Ok(())
}

/// Counts what is written for the progress bar.
struct Counted<'a> {
    inner: &'a mut dyn Write,
    progress: &'a mut Progress,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.progress.add(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

struct Summed<W> {
    inner: W,
    sum: Sha256,
    bytes: u64,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

pub struct ArchiveReader {
    pub file: PathBuf,
    pub manifest: Manifest,
    /// Where each entry begins, and how long it is.
    places: HashMap<String, (u64, u64)>,
}

impl ArchiveReader {
    /// Reads the manifest. Refuses a file that is truncated, newer than this program, or no archive at
    /// all.
    pub fn open(file: &Path) -> anyhow::Result<Self> {
        Self::look(file).with_context(|| format!("{} cannot be used", file.display()))
    }

    fn look(file: &Path) -> anyhow::Result<Self> {
        let places = places(file)?;
        let read = |name: &str| -> anyhow::Result<Vec<u8>> {
            let place = places.get(name);
            let (begin, length) = place.with_context(|| {
                format!(
                    "it has no {name}: it is truncated, or not an archive made by `atrium backup`"
                )
            })?;
            ensure!(*length <= MANIFEST_MAX, "{name} is too large");
            let mut bytes = Vec::new();
            at(file, *begin, *length)?.read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let (text, sum) = (read(MANIFEST)?, read(MANIFEST_SUM)?);
        let sum = String::from_utf8_lossy(&sum);
        let is_right = sum.split_whitespace().next() == Some(&hex::encode(Sha256::digest(&text)));
        ensure!(is_right, "{MANIFEST} is damaged");
        let manifest: Manifest = serde_json::from_slice(&text).context(MANIFEST)?;
        manifest.check()?;
        Ok(Self { file: file.to_owned(), manifest, places })
    }

    /// How many bytes there are to verify.
    pub fn bytes(&self) -> u64 {
        self.manifest.entries.iter().map(|entry| entry.bytes).sum()
    }

    /// Compares every entry with its checksum.
    pub fn verify(&self, progress: &mut Progress) -> anyhow::Result<()> {
        for entry in &self.manifest.entries {
            let Some((begin, length)) = self.places.get(&entry.name) else {
                bail!("{} is damaged: {} is missing", self.file.display(), entry.name);
            };
            let mut sum = Summed { inner: std::io::sink(), sum: Sha256::new(), bytes: 0 };
            copy(&mut at(&self.file, *begin, *length)?, &mut sum, progress)?;
            let is_same =
                sum.bytes == entry.bytes && hex::encode(sum.sum.finalize()) == entry.sha256;
            if !is_same {
                bail!(
                    "{} is damaged: {} has changed since it was written",
                    self.file.display(),
                    entry.name
                );
            }
        }
        Ok(())
    }

    /// The content of an entry.
    pub fn read(&self, name: &str) -> anyhow::Result<impl Read + use<>> {
        let place = self.places.get(name);
        let (begin, length) =
            place.with_context(|| format!("{}: {name} is missing", self.file.display()))?;
        Ok(zstd::Decoder::new(at(&self.file, *begin, *length)?)?)
    }

    /// The compressed size of an entry.
    pub fn size_of(&self, name: &str) -> u64 {
        self.places.get(name).map_or(0, |(_, length)| *length)
    }

    /// Writes an entry into a new file that only its owner may read.
    pub fn unpack(&self, name: &str, into: &Path) -> anyhow::Result<()> {
        let mut options = OpenOptions::new();
        let out = options.write(true).create_new(true).mode(0o600).open(into);
        let mut out = out.with_context(|| format!("{} cannot be created", into.display()))?;
        std::io::copy(&mut self.read(name)?, &mut out)?;
        out.sync_all()?;
        Ok(())
    }

    /// Unpacks an entry with a folder's content into a new folder.
    pub fn unpack_folder(&self, name: &str, into: &Path) -> anyhow::Result<()> {
        std::fs::create_dir(into)
            .with_context(|| format!("{} cannot be created", into.display()))?;
        let mut inner = tar::Archive::new(BufReader::with_capacity(BUFFER, self.read(name)?));
        inner.set_preserve_permissions(false);
        // This refuses paths that lead out of the folder.
        inner.unpack(into).with_context(|| into.display().to_string())
    }
}

fn at(file: &Path, begin: u64, length: u64) -> anyhow::Result<std::io::Take<File>> {
    let mut file = File::open(file)?;
    file.seek(SeekFrom::Start(begin))?;
    Ok(file.take(length))
}

fn places(file: &Path) -> anyhow::Result<HashMap<String, (u64, u64)>> {
    let mut archive = tar::Archive::new(File::open(file)?);
    let mut places = HashMap::new();
    for entry in archive.entries_with_seek()? {
        let entry = entry.context("it is damaged, or not an archive made by `atrium backup`")?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        places.insert(name, (entry.raw_file_position(), entry.size()));
    }
    Ok(places)
}
