//! Figures for Prometheus.

use std::sync::{Mutex, OnceLock, PoisonError};

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// The process's recorder: the macros of `metrics` write to it from anywhere, so there is one,
/// however many servers a test process starts.
static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();

#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
}

impl Metrics {
    pub fn install() -> anyhow::Result<Self> {
        static INSTALLING: Mutex<()> = Mutex::new(());
        let _one_at_a_time = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(handle) = RECORDER.get() {
            return Ok(Self { handle: handle.clone() });
        }
        let buckets =
            [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
        let latency = Matcher::Full("atrium_http_request_seconds".to_owned());
        let builder = PrometheusBuilder::new().set_buckets_for_metric(latency, &buckets)?;
        let handle = builder.install_recorder()?;
        Ok(Self { handle: RECORDER.get_or_init(|| handle).clone() })
    }

    pub fn request(&self, method: &str, route: &str, status: u16, seconds: f64) {
        let labels = [
            ("method", method.to_owned()),
            ("route", route.to_owned()),
            ("status", status.to_string()),
        ];
        metrics::counter!("atrium_http_requests_total", &labels).increment(1);
        metrics::histogram!("atrium_http_request_seconds", &labels[..2]).record(seconds);
    }

    pub fn render(&self) -> String {
        self.handle.render()
    }

    /// Histograms grow until they are drained; someone has to do it when nobody scrapes.
    pub fn upkeep(&self) {
        self.handle.run_upkeep();
    }
}
