//! Figures for Prometheus.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, OnceLock};

use metrics::{Counter, Histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use parking_lot::{Mutex, RwLock};

/// The process's recorder: the macros of `metrics` write to it from anywhere, so there is one,
/// however many servers a test process starts.
static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();

#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
    /// Looking a figure up by its labels costs more than counting it, so each is looked up once.
    /// Routes are patterns: there are as many entries as kinds of answers.
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
        let buckets =
            [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
        let latency = Matcher::Full("atrium_http_request_seconds".to_owned());
        let waiting = Matcher::Full("atrium_read_wait_seconds".to_owned());
        let builder = PrometheusBuilder::new()
            .set_buckets_for_metric(latency, &buckets)?
            .set_buckets_for_metric(waiting, &buckets)?;
        let handle = builder.install_recorder()?;
        Ok(Self::with(RECORDER.get_or_init(|| handle).clone()))
    }

    fn with(handle: PrometheusHandle) -> Self {
        Self { handle, requests: Arc::default(), hasher: RandomState::new() }
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
        figures.seconds.record(seconds);
    }

    pub fn render(&self) -> String {
        self.handle.render()
    }

    /// Histograms grow until they are drained; someone has to do it when nobody scrapes.
    pub fn upkeep(&self) {
        self.handle.run_upkeep();
    }
}
