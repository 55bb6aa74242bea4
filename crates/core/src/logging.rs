//! The log: structured lines on standard error, as text for people or JSON for machines.

use std::io::IsTerminal;

use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::LogSettings;

/// A panic message may quote what a person typed, so only its location is logged.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(location, "panicked");
    }));
}

pub fn start(log: &LogSettings) -> anyhow::Result<()> {
    // `Targets` knows levels per module and nothing else, which is all we need and cheap to evaluate.
    let filter: Targets = log.filter.parse()?;
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let lines = if log.json { lines.json().boxed() } else { lines.boxed() };
    tracing_subscriber::registry().with(lines).with(filter).init();
    log_panics();
    Ok(())
}
