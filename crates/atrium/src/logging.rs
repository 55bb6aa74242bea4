//! The log: structured lines on standard error, as text for people or JSON for machines.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::LogSettings;

pub fn start(log: &LogSettings) -> anyhow::Result<()> {
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_new(&log.filter)?)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    if log.json {
        subscriber.json().init();
    } else {
        subscriber.init();
    }
    Ok(())
}
