//! Other servers on the same data folder. They are allowed, and each has its own spool; but the embedded
//! warehouse belongs to only one of them.

use warehouse::engine;

use super::doctor::Finding;
use atrium_collect::collect::spool::Spool;
use atrium_core::config::Settings;

/// A notice for a server that has just started, if others use the warehouse.
pub fn notice(settings: &Settings) -> anyhow::Result<Option<String>> {
    let folder = &settings.stores.data_dir;
    // One of the holders is this server. Without a running engine the other may be a command that ends
    // soon.
    let others = Spool::holders(folder)?.saturating_sub(1);
    let events = folder.join("events");
    let taken = settings.events.warehouse_url.is_none() && engine::is_running(&events);
    Ok((others > 0 && taken).then(|| {
        format!(
            "Another server uses {} and its embedded event store. This one accepts and keeps \
             events, but cannot show figures until the other has stopped. Stop one of the two, or \
             set warehouse_url to a ClickHouse for both",
            folder.display()
        )
    }))
}

/// The same for the doctor.
pub fn of_doctor(settings: &Settings) -> anyhow::Result<Finding> {
    const WHAT: &str = "servers";
    let folder = &settings.stores.data_dir;
    let embedded = settings.events.warehouse_url.is_none();
    Ok(match Spool::holders(folder)? {
        0 => Finding::ok(WHAT, "none is running on this data folder"),
        1 => Finding::ok(WHAT, "1 is running on this data folder"),
        count if embedded => {
            let text = format!(
                "{count} are running on {}: only one of them has the embedded event store; the \
                 others keep the events they accept and show no figures",
                folder.display()
            );
            Finding::warning(WHAT, text, "Stop all but one, or set warehouse_url for all of them")
        }
        count => Finding::ok(WHAT, format!("{count} are running on this data folder")),
    })
}
