//! Metrics for Prometheus.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, OnceLock};

use metrics::{Counter, Histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use parking_lot::{Mutex, RwLock};

/// The process-wide recorder. The macros of `metrics` write to it from anywhere, so there is only one,
/// however many servers a test process starts.
static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();

/// Classes of answers, indexed by the first digit of the status minus 2.
pub const RESPONSE_CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];

/// Buckets for things that someone waits for. Every histogram is in seconds.
const WAITED_FOR: [f64; 14] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
/// Buckets for background work, which may take minutes.
const BACKGROUND: [f64; 13] =
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 1_800.0];
const IN_BACKGROUND: [&str; 2] = ["atrium_job_seconds", "atrium_loader_batch_seconds"];

#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
    responses: Arc<[Counter; 4]>,
    /// Looking a metric up by its labels costs more than counting, so handles are cached. Routes are
    /// patterns, which bounds the number of entries.
    requests: Arc<RwLock<HashMap<u64, RequestFigures>>>,
    hasher: RandomState,
}

#[derive(Clone)]
struct RequestFigures {
    count: Counter,
    seconds: Histogram,
}

impl RequestFigures {
    fn new(method: &str, route: &str, status: u16) -> Self {
        let labels = [
            ("method", method.to_owned()),
            ("route", route.to_owned()),
            ("status", status.to_string()),
        ];
        Self {
            count: metrics::counter!("atrium_http_requests_total", &labels),
            seconds: metrics::histogram!("atrium_http_request_seconds", &labels[..2]),
        }
    }
}

impl Metrics {
    pub fn install() -> anyhow::Result<Self> {
        static INSTALLING: Mutex<()> = Mutex::new(());
        let _one_at_a_time = INSTALLING.lock();
        if let Some(handle) = RECORDER.get() {
            return Ok(Self::with(handle.clone()));
        }
        let mut builder = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &WAITED_FOR)?;
        for name in IN_BACKGROUND {
            builder =
                builder.set_buckets_for_metric(Matcher::Full(name.to_owned()), &BACKGROUND)?;
        }
        let handle = builder.install_recorder()?;
        Ok(Self::with(RECORDER.get_or_init(|| handle).clone()))
    }

    fn with(handle: PrometheusHandle) -> Self {
        let responses = RESPONSE_CLASSES
            .map(|class| metrics::counter!("atrium_http_responses_total", "class" => class));
        Self {
            handle,
            responses: Arc::new(responses),
            requests: Arc::default(),
            hasher: RandomState::new(),
        }
    }

    pub fn request(&self, method: &str, route: &str, status: u16, seconds: f64) {
        let key = self.hasher.hash_one((method, route, status));
        let known = self.requests.read().get(&key).cloned();
        let figures = known.unwrap_or_else(|| {
            let figures = RequestFigures::new(method, route, status);
            let mut requests = self.requests.write();
            requests.entry(key).or_insert(figures).clone()
        });
        figures.count.increment(1);
        // No counter for 1xx, which no handler answers.
        if let Some(class) = usize::from(status / 100).checked_sub(2)
            && let Some(count) = self.responses.get(class)
        {
            count.increment(1);
        }
        figures.seconds.record(seconds);
    }

    pub fn render(&self) -> String {
        self.handle.render()
    }

    /// Histograms grow until they are drained, which must also happen when nobody scrapes.
    pub fn upkeep(&self) {
        self.handle.run_upkeep();
    }
}
