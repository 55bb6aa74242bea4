//! Automatic backups. One of several instances makes them for as long as it lives; then another takes
//! over.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use warehouse::engine;

use super::progress::Progress;
use super::{Options, Report, Source, make};
use crate::app::AppState;
use crate::fleet::runs::{self, Begun, Job};
use atrium_core::audit::Actor;
use atrium_core::config::BackupSettings;
use atrium_core::folder;
use atrium_core::lease::Lease;
use atrium_core::types::Millis;

/// Shorter than the lease, so that the instance that holds it keeps it.
const LOOK: Duration = Duration::from_secs(10);
/// A failed backup is retried after this.
const RETRY: i64 = 15 * Millis::MINUTE;
const NAME: &str = "atrium-%Y%m%dT%H%M%SZ.tar";

/// Runs until the process ends, if backups are configured.
pub async fn run(atrium: AppState) {
    let Some(settings) = atrium.settings.backup.clone() else { return };
    let mut not_before = Millis(i64::MIN);
    let mut ticks = tokio::time::interval(LOOK);
    loop {
        ticks.tick().await;
        if atrium.now() < not_before {
            continue;
        }
        let begun = Begun::now(&atrium);
        let outcome = match run_due(&atrium, &settings).await {
            Ok(None) => continue,
            Ok(Some(made)) => {
                let (file, bytes) = (made.file.display(), made.bytes);
                tracing::info!(%file, bytes, events = made.events, "a backup was made");
                Ok(1)
            }
            Err(error) => {
                not_before = atrium.now().plus(RETRY);
                Err(error)
            }
        };
        runs::record(&atrium, Job::Backup, begun, outcome).await;
    }
}

/// Makes a backup if one is due and this instance has the lease, and removes surplus ones.
pub async fn run_due(
    atrium: &AppState,
    settings: &BackupSettings,
) -> anyhow::Result<Option<Report>> {
    if others_have_the_events(atrium) {
        return Ok(None);
    }
    let holder = &atrium.collector.spool.name;
    let Some(lease) = Lease::take(atrium, "backup", holder).await? else {
        return Ok(None);
    };
    folder::make_private(&settings.folder).context("backup_folder")?;
    let now = atrium.now();
    let last = archives_in(&settings.folder)?.last().map(|(at, _)| *at);
    if let Some(last) = last {
        tell_last(last);
    }
    if last.is_some_and(|last| now.since(last) < settings.every) {
        return Ok(None);
    }
    let options = Options {
        output: settings.folder.join(name_at(now)?),
        since: None,
        include_master_key: false,
    };
    let made = lease.during(atrium, make_one(atrium, &options)).await?;
    tell_last(now);
    // Only now, because a failed backup must not cost an existing one.
    let mut archives = archives_in(&settings.folder)?;
    let too_many = archives.len().saturating_sub(settings.keep);
    for (_, file) in archives.drain(..too_many) {
        std::fs::remove_file(&file).with_context(|| file.display().to_string())?;
        tracing::info!(file = %file.display(), "an old backup was removed");
    }
    Ok(Some(made))
}

/// For the doctor: whether backups are made in time.
pub fn look(settings: &BackupSettings, now: Millis) -> Result<String, String> {
    let folder = settings.folder.display();
    let archives = archives_in(&settings.folder)
        .map_err(|_| format!("{folder} cannot be read or does not exist yet"))?;
    let (last, _) = archives.last().ok_or_else(|| format!("there is none in {folder} yet"))?;
    let hours = now.since(*last) / Millis::HOUR;
    let text = format!("{} in {folder}, the last one {hours} hours ago", archives.len());
    // A slow or retried backup is not late at once.
    let late = now.since(*last) > settings.every + settings.every / 2;
    if late { Err(text) } else { Ok(text) }
}

/// Whether another server on the same data folder runs the embedded event store.
fn others_have_the_events(atrium: &AppState) -> bool {
    let settings = &atrium.settings;
    let events = settings.stores.data_dir.join("events");
    settings.events.warehouse_url.is_none()
        && engine::is_running(&events)
        && !atrium.warehouse.is_up()
}

async fn make_one(atrium: &AppState, options: &Options) -> anyhow::Result<Report> {
    let settings = &atrium.settings;
    let source = match settings.events.warehouse_url {
        Some(_) => Source::Server,
        None if settings.stores.data_dir.join("events/tables").exists() => Source::Engine,
        None => Source::Nothing,
    };
    make(atrium, options, source, &Actor::system(), Progress::Silent).await
}

fn tell_last(at: Millis) {
    let gauge = metrics::gauge!("atrium_backup_last_success_timestamp_seconds");
    // Whole seconds of this century are exact in a double.
    #[allow(clippy::cast_precision_loss)]
    gauge.set((at.0 / Millis::SECOND) as f64);
}

fn name_at(at: Millis) -> anyhow::Result<String> {
    let at = Timestamp::from_millisecond(at.0)?.to_zoned(TimeZone::UTC);
    Ok(at.strftime(NAME).to_string())
}

/// None for files that were not made by this job.
fn made_at(name: &str) -> Option<Millis> {
    let at = jiff::civil::DateTime::strptime(NAME, name).ok()?;
    let at = Millis(at.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond());
    (name_at(at).ok()? == name).then_some(at)
}

/// The oldest first.
fn archives_in(folder: &Path) -> anyhow::Result<Vec<(Millis, PathBuf)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).context("backup_folder")? {
        let entry = entry?;
        if let Some(at) = entry.file_name().to_str().and_then(made_at) {
            found.push((at, entry.path()));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_doctor_warns_when_they_are_late() {
        let folder = tempfile::tempdir().unwrap();
        let every = 10 * Millis::HOUR;
        let made = folder.path().join("made");
        let settings = BackupSettings { folder: made.clone(), every, keep: 7 };
        let now = Millis(1_795_000_000_000);
        let said = |hours| look(&settings, now.plus(hours * Millis::HOUR));
        assert!(said(0).is_err(), "no folder");
        std::fs::create_dir(&made).unwrap();
        assert!(said(0).is_err(), "none yet");
        std::fs::write(made.join(name_at(now).unwrap()), "").unwrap();
        assert!(said(14).is_ok());
        let text = said(16).unwrap_err();
        assert!(text.starts_with("1 in ") && text.ends_with("the last one 16 hours ago"), "{text}");
    }

    #[test]
    fn only_files_of_its_own_are_known() {
        let at = Millis(1_795_000_000_000);
        let name = name_at(at).unwrap();
        assert_eq!(name, "atrium-20261118T110640Z.tar");
        assert_eq!(made_at(&name), Some(at));
        for other in
            ["atrium-20261118T110640Z.tar.partial", "atrium-1.tar", "notes.txt", "full.tar"]
        {
            assert_eq!(made_at(other), None, "{other}");
        }
    }
}
