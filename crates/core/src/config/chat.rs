//! Work chat: the WeChat Work and Feishu apps that people sign in with and get messages through. Every
//! address is a setting, to allow for Lark, intranet proxies and tests.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use url::Url;

use super::RawSettings;
use crate::outbound::guard::Guard;

/// A setting that must not be logged.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl FromStr for Secret {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl Secret {
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// None for a provider that is not configured.
#[derive(Clone, Debug)]
pub struct ChatSettings {
    pub wechatwork: Option<WechatWorkSettings>,
    pub feishu: Option<FeishuSettings>,
}

#[derive(Clone, Debug)]
pub struct WechatWorkSettings {
    pub corp_id: String,
    pub agent_id: u64,
    pub secret: Secret,
    pub login_url: Url,
    pub api_url: Url,
    /// How long the provider may take for one answer.
    pub provider_limit: Duration,
}

#[derive(Clone, Debug)]
pub struct FeishuSettings {
    pub app_id: String,
    pub app_secret: Secret,
    pub accounts_url: Url,
    pub api_url: Url,
    pub token_url: Url,
    pub provider_limit: Duration,
}

pub fn check(raw: &RawSettings) -> anyhow::Result<ChatSettings> {
    Ok(ChatSettings { wechatwork: wechatwork(raw)?, feishu: feishu(raw)? })
}

fn wechatwork(raw: &RawSettings) -> anyhow::Result<Option<WechatWorkSettings>> {
    let given = together([
        ("wechatwork_corp_id", raw.wechatwork_corp_id.as_deref()),
        ("wechatwork_agent_id", raw.wechatwork_agent_id.as_deref()),
        ("wechatwork_secret", raw.wechatwork_secret.as_ref().map(Secret::reveal)),
    ])?;
    let login = address(
        "wechatwork_login_url",
        raw.wechatwork_login_url.as_deref(),
        "https://login.work.weixin.qq.com",
    )?;
    let api = address(
        "wechatwork_api_url",
        raw.wechatwork_api_url.as_deref(),
        "https://qyapi.weixin.qq.com",
    )?;
    let Some([corp_id, agent_id, secret]) = given else { return Ok(None) };
    let agent_id = agent_id.parse().ok().with_context(|| {
        format!("wechatwork_agent_id: {agent_id:?} is not the number of an app, such as 1000002")
    })?;
    Ok(Some(WechatWorkSettings {
        corp_id: corp_id.to_owned(),
        agent_id,
        secret: Secret(secret.to_owned()),
        login_url: login,
        api_url: api,
        provider_limit: raw.provider_limit()?,
    }))
}

fn feishu(raw: &RawSettings) -> anyhow::Result<Option<FeishuSettings>> {
    let given = together([
        ("feishu_app_id", raw.feishu_app_id.as_deref()),
        ("feishu_app_secret", raw.feishu_app_secret.as_ref().map(Secret::reveal)),
    ])?;
    let accounts = raw.feishu_accounts_url.as_deref();
    let accounts_url = address("feishu_accounts_url", accounts, "https://accounts.feishu.cn")?;
    let api = raw.feishu_api_url.as_deref();
    let api_url = address("feishu_api_url", api, "https://open.feishu.cn")?;
    let usual = below(&api_url, "/open-apis/authen/v2/oauth/token");
    let token_url = address("feishu_token_url", raw.feishu_token_url.as_deref(), usual.as_str())?;
    let Some([app_id, app_secret]) = given else { return Ok(None) };
    Ok(Some(FeishuSettings {
        app_id: app_id.to_owned(),
        app_secret: Secret(app_secret.to_owned()),
        accounts_url,
        api_url,
        token_url,
        provider_limit: raw.provider_limit()?,
    }))
}

/// All of the settings, or none. An empty one counts as missing, so that a list of variables can leave
/// one blank.
fn together<'a, const N: usize>(
    settings: [(&'static str, Option<&'a str>); N],
) -> anyhow::Result<Option<[&'a str; N]>> {
    let given = settings.map(|(_, value)| value.filter(|text| !text.trim().is_empty()));
    if given.iter().all(Option::is_none) {
        return Ok(None);
    }
    if let Some(missing) = given.iter().position(Option::is_none) {
        let names = settings.map(|(name, _)| name);
        bail!(
            "{}: this setting is missing; {} must be set together",
            names[missing],
            names.join(", ")
        );
    }
    Ok(Some(given.map(Option::unwrap_or_default)))
}

fn address(setting: &str, given: Option<&str>, usual: &str) -> anyhow::Result<Url> {
    let text = given.filter(|text| !text.is_empty()).unwrap_or(usual);
    let url = Url::parse(text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
            && Guard::Operator.allows_url(url)
    });
    url.with_context(|| format!("{setting}: {text:?} is not a valid address such as {usual}"))
}

/// An address of the vendor, below any path that the base has: a proxy may have one.
pub fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}{path}", base.path().trim_end_matches('/')));
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn whole() -> RawSettings {
        RawSettings {
            wechatwork_corp_id: some("ww1"),
            wechatwork_agent_id: some("1000002"),
            wechatwork_secret: Some(Secret("very-secret".to_owned())),
            feishu_app_id: some("cli_1"),
            feishu_app_secret: Some(Secret("very-secret".to_owned())),
            ..Default::default()
        }
    }

    #[test]
    fn nothing_given_is_nothing_configured() {
        let settings = check(&RawSettings::default()).unwrap();
        assert!(settings.wechatwork.is_none() && settings.feishu.is_none());
        let empty = RawSettings { feishu_app_id: some(""), ..Default::default() };
        assert!(check(&empty).unwrap().feishu.is_none());
    }

    #[test]
    fn the_addresses_are_the_vendors_own_by_default() {
        let settings = check(&whole()).unwrap();
        let feishu = settings.feishu.unwrap();
        assert_eq!(
            feishu.token_url.as_str(),
            "https://open.feishu.cn/open-apis/authen/v2/oauth/token"
        );
        let raw = RawSettings { feishu_api_url: some("http://proxy.internal/lark/"), ..whole() };
        let feishu = check(&raw).unwrap().feishu.unwrap();
        assert_eq!(
            feishu.token_url.as_str(),
            "http://proxy.internal/lark/open-apis/authen/v2/oauth/token"
        );
        assert_eq!(below(&feishu.api_url, "/x").as_str(), "http://proxy.internal/lark/x");
        assert_eq!(settings.wechatwork.unwrap().agent_id, 1_000_002);
    }

    #[test]
    fn half_a_provider_is_refused_by_the_name_of_what_is_missing() {
        let cases = [
            (RawSettings { wechatwork_corp_id: None, ..whole() }, "wechatwork_corp_id: "),
            (RawSettings { wechatwork_agent_id: some(" "), ..whole() }, "wechatwork_agent_id: "),
            (RawSettings { wechatwork_secret: None, ..whole() }, "wechatwork_secret: "),
            (RawSettings { wechatwork_agent_id: some("x"), ..whole() }, "wechatwork_agent_id: "),
            (RawSettings { feishu_app_id: None, ..whole() }, "feishu_app_id: "),
            (RawSettings { feishu_app_secret: None, ..whole() }, "feishu_app_secret: "),
            (RawSettings { feishu_api_url: some("ftp://x"), ..whole() }, "feishu_api_url: "),
            (RawSettings { feishu_token_url: some("x"), ..whole() }, "feishu_token_url: "),
            (
                RawSettings { wechatwork_api_url: some("http://168.63.129.16"), ..whole() },
                "wechatwork_api_url: ",
            ),
            (
                RawSettings { wechatwork_login_url: some("https://u:p@x"), ..whole() },
                "wechatwork_login_url: ",
            ),
        ];
        for (raw, beginning) in cases {
            let text = check(&raw).unwrap_err().to_string();
            assert!(text.starts_with(beginning), "{text}");
            assert!(!text.contains("very-secret"), "{text}");
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        let raw = whole();
        assert!(!format!("{raw:?}").contains("very-secret"));
        assert!(!format!("{:?}", check(&raw).unwrap()).contains("very-secret"));
    }
}
