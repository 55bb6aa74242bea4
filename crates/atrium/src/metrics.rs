//! Figures for Prometheus.

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// One recorder per process: the macros of `metrics` write to it from anywhere.
#[derive(Clone)]
pub struct Metrics {
    handle: Option<PrometheusHandle>,
}

impl Metrics {
    /// Installs the process's recorder. Where one is installed already (several servers in one
    /// test process) the figures go to the first.
    pub fn install() -> anyhow::Result<Self> {
        let buckets =
            [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
        let builder = PrometheusBuilder::new().set_buckets_for_metric(
            Matcher::Full("atrium_http_request_seconds".to_owned()),
            &buckets,
        )?;
        Ok(Self { handle: builder.install_recorder().ok() })
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
        self.handle.as_ref().map(PrometheusHandle::render).unwrap_or_default()
    }

    /// Histograms grow until they are drained; someone has to do it when nobody scrapes.
    pub fn upkeep(&self) {
        if let Some(handle) = &self.handle {
            handle.run_upkeep();
        }
    }
}
