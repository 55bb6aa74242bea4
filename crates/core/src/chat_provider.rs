//! The chat providers through which people can be reached.

use serde::{Deserialize, Serialize};

use crate::locale::Locale;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    Wechatwork,
    Feishu,
}

impl Provider {
    pub const ALL: [Self; 2] = [Self::Wechatwork, Self::Feishu];

    /// The name used in paths, settings, notification channels and rows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wechatwork => "wechatwork",
            Self::Feishu => "feishu",
        }
    }

    pub fn name(self, locale: Locale) -> &'static str {
        match (self, locale) {
            (Self::Wechatwork, Locale::ZhCn) => "企业微信",
            (Self::Wechatwork, Locale::EnUs) => "WeChat Work",
            (Self::Feishu, Locale::ZhCn) => "飞书",
            (Self::Feishu, Locale::EnUs) => "Feishu",
        }
    }
}
