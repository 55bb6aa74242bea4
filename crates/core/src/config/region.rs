//! Regions: where an app's workspace lives. The default one, `local`, is this instance.

use std::collections::HashSet;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use url::Url;
use utoipa::ToSchema;

pub const LOCAL: &str = "local";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// The short name that apps carry.
    #[schema(example = "local")]
    pub region: String,
    /// The name people read.
    pub name: String,
    /// The origin (and path prefix, if any) of the application entry.
    #[schema(example = "https://atrium.example.com")]
    pub endpoint: String,
}

impl Region {
    pub fn local(endpoint: String) -> Self {
        Self { region: LOCAL.to_owned(), name: "Local".to_owned(), endpoint }
    }
}

/// One region as a flag or a variable spells it: `eu=https://eu.example.com` or
/// `eu|Europe=https://eu.example.com`.
pub fn parse(text: &str) -> anyhow::Result<Region> {
    let (names, endpoint) = text
        .split_once('=')
        .with_context(|| format!("{text:?} is not written as short-name|Name=https://endpoint"))?;
    let (region, name) = names.split_once('|').unwrap_or((names, names));
    Ok(Region {
        region: region.trim().to_owned(),
        name: name.trim().to_owned(),
        endpoint: endpoint.trim().to_owned(),
    })
}

/// The configured regions, or `local` alone. `local` can be renamed but never pointed elsewhere.
pub fn check(configured: Option<&[Region]>, local: Region) -> anyhow::Result<Vec<Region>> {
    let Some(configured) = configured.filter(|list| !list.is_empty()) else {
        return Ok(vec![local]);
    };
    let mut seen = HashSet::new();
    let mut regions = Vec::new();
    for region in configured {
        let mut region = region.clone();
        let short = &region.region;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if short.is_empty() || short.len() > 32 || !short.chars().all(plain) {
            bail!("regions: {short:?} must be 1 to 32 lowercase letters, digits, and hyphens");
        }
        if !seen.insert(short.clone()) {
            bail!("regions: {short:?} is listed twice");
        }
        if region.name.trim().is_empty() {
            bail!("regions: {short:?} has no name");
        }
        let url = Url::parse(&region.endpoint).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.host().is_some()
                && url.username().is_empty()
                && url.query().is_none()
                && url.fragment().is_none()
        });
        let url = url.with_context(|| {
            format!("regions: the endpoint of {short:?} is not an http or https address")
        })?;
        region.endpoint = url.as_str().trim_end_matches('/').to_owned();
        if region.region == LOCAL && region.endpoint != local.endpoint {
            bail!("regions: \"local\" is this instance, so its endpoint is public_url");
        }
        regions.push(region);
    }
    Ok(regions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local() -> Region {
        Region::local("http://127.0.0.1:8080".into())
    }

    #[test]
    fn without_regions_there_is_the_local_one() {
        assert_eq!(check(None, local()).unwrap(), vec![local()]);
        assert_eq!(check(Some(&[]), local()).unwrap(), vec![local()]);
    }

    #[test]
    fn the_short_spelling() {
        let region = parse("eu|Europe=https://eu.example.com/").unwrap();
        let checked = check(Some(&[region]), local()).unwrap();
        assert_eq!(checked[0].region, "eu");
        assert_eq!(checked[0].name, "Europe");
        assert_eq!(checked[0].endpoint, "https://eu.example.com");
        assert!(parse("eu").is_err());
    }

    #[test]
    fn wrong_regions_are_refused() {
        for text in [
            "EU=https://eu.example.com",
            "=https://eu.example.com",
            "eu=javascript:alert(1)",
            "eu=https://user@eu.example.com",
            "eu=https://eu.example.com?x",
            "local=https://elsewhere.example.com",
        ] {
            assert!(check(Some(&[parse(text).unwrap()]), local()).is_err(), "{text}");
        }
        let twice = parse("eu=https://eu.example.com").unwrap();
        assert!(check(Some(&[twice.clone(), twice]), local()).is_err());
    }
}
