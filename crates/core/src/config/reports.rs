//! Error reports of the console: whether to take them, where to send them, and how much space they get.

use anyhow::{Context, bail};
use url::Url;

use super::RawSettings;
use crate::outbound::guard::Guard;

#[derive(Clone, Debug)]
pub struct ReportSettings {
    pub enabled: bool,
    /// None: they are stored here.
    pub upstream: Option<Dsn>,
    pub max_bytes: i64,
}

/// The address of an outside collector: `https://KEY@host/PROJECT`.
#[derive(Clone)]
pub struct Dsn(Url);

/// The key must not be logged.
impl std::fmt::Debug for Dsn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Dsn({})", self.0.host_str().unwrap_or_default())
    }
}

impl Dsn {
    fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let fits = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && !url.username().is_empty()
            && url.username().bytes().all(|byte| byte.is_ascii_alphanumeric())
            && url.query().is_none()
            && url.fragment().is_none()
            && Guard::Operator.allows_url(&url);
        let project = url.path().rsplit('/').next().unwrap_or_default();
        let is_number = !project.is_empty() && project.bytes().all(|byte| byte.is_ascii_digit());
        (fits && is_number).then_some(Self(url))
    }

    pub fn key(&self) -> &str {
        self.0.username()
    }

    /// The URL that envelopes are sent to.
    pub fn endpoint(&self) -> Url {
        let (before, project) = self.0.path().rsplit_once('/').unwrap_or_default();
        let mut url = self.0.clone();
        url.set_path(&format!("{before}/api/{project}/envelope/"));
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url
    }
}

pub fn check(raw: &RawSettings) -> anyhow::Result<ReportSettings> {
    let upstream = match &raw.error_reports_dsn {
        // Do not repeat the value: it holds a key.
        Some(text) => Some(
            Dsn::parse(text)
                .context("error_reports_dsn: must look like https://KEY@host/PROJECT")?,
        ),
        None => None,
    };
    let max_mb = raw.error_reports_max_mb.unwrap_or(256);
    if !(1..=1_000_000).contains(&max_mb) {
        bail!("error_reports_max_mb: {max_mb} is not between 1 and 1000000");
    }
    let max_bytes = i64::try_from(max_mb << 20).unwrap_or(i64::MAX);
    Ok(ReportSettings { enabled: raw.error_reports.unwrap_or(true), upstream, max_bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outside_collector_is_reached_at_its_project() {
        let endpoint = |text: &str| Dsn::parse(text).unwrap().endpoint().to_string();
        let plain = endpoint("https://abc123@errors.example.com/42");
        assert_eq!(plain, "https://errors.example.com/api/42/envelope/");
        let below = endpoint("http://abc:old@127.0.0.1:9000/below/7");
        assert_eq!(below, "http://127.0.0.1:9000/below/api/7/envelope/");
    }

    #[test]
    fn a_wrong_one_is_refused_and_a_right_one_is_not_repeated() {
        for wrong in [
            "",
            "errors.example.com",
            "ftp://k@h/1",
            "https://h/1",
            "https://k@h/",
            "https://k@h/x",
            "https://k@h/1?a",
            "https://k%20k@h/1",
            "http://k@169.254.169.254/1",
        ] {
            let raw = RawSettings { error_reports_dsn: Some(wrong.into()), ..Default::default() };
            let error = check(&raw).unwrap_err().to_string();
            assert!(error.starts_with("error_reports_dsn: must"), "{wrong}: {error}");
        }
        let raw = RawSettings {
            error_reports_dsn: Some("https://hunter2@errors.example.com/1".into()),
            ..Default::default()
        };
        assert!(!format!("{:?}", check(&raw).unwrap()).contains("hunter2"));
    }

    #[test]
    fn reporting_is_on_and_bounded_by_default() {
        let settings = check(&RawSettings::default()).unwrap();
        assert!(settings.enabled && settings.upstream.is_none());
        assert_eq!(settings.max_bytes, 256 << 20);
        for wrong in [0, 1_000_001] {
            let raw = RawSettings { error_reports_max_mb: Some(wrong), ..Default::default() };
            assert!(check(&raw).unwrap_err().to_string().starts_with("error_reports_max_mb: "));
        }
    }
}
