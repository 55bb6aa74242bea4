//! Every metric in `/metrics`, with its help text and its labels with all of their values. All series
//! exist from the start, at zero: a counter that appears with its first event has no rate for it, and an
//! alert on it cannot distinguish "never" from "not measured". Tests compare this table with what the
//! code writes, with what a running server shows, and with docs/operating.md, the dashboard and the
//! alerts in deploy/.

mod table;

use crate::console::build_version;
use atrium_core::http::CLIENT_VERSION;
use atrium_core::types::Millis;

pub use table::all;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Counter,
    Gauge,
    /// In seconds.
    Histogram,
}

impl Kind {
    /// Its name in Prometheus.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Figure {
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
    /// Each label with all of its values.
    pub labels: Vec<(&'static str, Vec<&'static str>)>,
}

impl Figure {
    fn new(kind: Kind, name: &'static str, help: &'static str) -> Self {
        Self { name, kind, help, labels: Vec::new() }
    }

    fn by(mut self, label: &'static str, values: impl IntoIterator<Item = &'static str>) -> Self {
        self.labels.push((label, values.into_iter().collect()));
        self
    }

    /// The labels of each of its series.
    pub fn series(&self) -> Vec<Vec<(&'static str, &'static str)>> {
        self.labels.iter().fold(vec![Vec::new()], |series, (label, values)| {
            let with = |one: &Vec<_>, value| {
                one.iter().copied().chain([(*label, value)]).collect::<Vec<_>>()
            };
            series
                .iter()
                .flat_map(|one| values.iter().map(move |value| with(one, *value)))
                .collect()
        })
    }
}

/// Describes every metric and creates its series. Existing counts are kept.
pub fn register(started_at: Millis) {
    for figure in all() {
        let (name, help) = (figure.name, figure.help);
        match figure.kind {
            Kind::Counter => metrics::describe_counter!(name, help),
            Kind::Gauge => metrics::describe_gauge!(name, help),
            Kind::Histogram => metrics::describe_histogram!(name, help),
        }
        for labels in figure.series() {
            match figure.kind {
                Kind::Counter => metrics::counter!(name, &labels).increment(0),
                Kind::Gauge => metrics::gauge!(name, &labels).increment(0.0),
                Kind::Histogram => drop(metrics::histogram!(name, &labels)),
            }
        }
    }
    let (version, build) = (CLIENT_VERSION, build_version());
    metrics::gauge!("atrium_build_info", "version" => version, "build" => build).set(1.0);
    let started = started_at.0 as f64 / Millis::SECOND as f64;
    metrics::gauge!("atrium_start_timestamp_seconds").set(started);
}

/// The table in docs/operating.md that lists them.
pub fn page() -> String {
    let mut page = "| Figure | Kind | Labels | |\n|---|---|---|---|\n".to_owned();
    for figure in all() {
        let labels: Vec<_> = figure.labels.iter().map(|(label, _)| format!("`{label}`")).collect();
        let (name, kind, help) = (figure.name, figure.kind.as_str(), figure.help);
        page += &format!("| `{name}` | {kind} | {} | {help} |\n", labels.join(", "));
    }
    page
}
