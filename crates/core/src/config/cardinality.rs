//! The daily cardinality limits, their names, and their texts in both languages.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use warehouse::over_limit;

use crate::locale::Locale;

/// How many distinct values of each kind are counted separately per app and day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub event_names: usize,
    pub property_names: usize,
    /// Of each built-in field that is counted: os, browser, device_type and language.
    pub field_values: usize,
    /// Applies separately to the pages of page views and to the referring sites.
    pub pages: usize,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    EventNames,
    PropertyNames,
    FieldValues,
    Pages,
}

impl Limit {
    pub const ALL: [Self; 4] =
        [Self::EventNames, Self::PropertyNames, Self::FieldValues, Self::Pages];

    /// Never changes once released: it is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EventNames => "event_names",
            Self::PropertyNames => "property_names",
            Self::FieldValues => "field_values",
            Self::Pages => "pages",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|limit| limit.as_str() == text)
    }

    /// The bits that mark a row as over this limit.
    pub fn bits(self) -> u8 {
        match self {
            Self::EventNames => over_limit::EVENT,
            Self::PropertyNames => over_limit::PROPERTIES,
            Self::FieldValues => {
                over_limit::OS
                    | over_limit::BROWSER
                    | over_limit::DEVICE_TYPE
                    | over_limit::LANGUAGE
            }
            Self::Pages => over_limit::PAGE | over_limit::SITE,
        }
    }

    /// What happened to messages over the limit.
    pub fn words(self, locale: Locale) -> &'static str {
        match (self, locale) {
            (Self::EventNames, Locale::ZhCn) => "事件名称种类超过每日上限，按“其他”统计。",
            (Self::EventNames, Locale::EnUs) => {
                "The app has more event names than its daily limit. The rest count as “Other”."
            }
            (Self::PropertyNames, Locale::ZhCn) => "属性名称种类超过每日上限，超出的属性不再列出。",
            (Self::PropertyNames, Locale::EnUs) => {
                "The app has more property names than its daily limit. The rest are not listed."
            }
            (Self::FieldValues, Locale::ZhCn) => {
                "操作系统、浏览器、设备类型或语言的取值超过每日上限，按“其他”统计。"
            }
            (Self::FieldValues, Locale::EnUs) => {
                "The app has more operating systems, browsers, device types, or languages than \
                 its daily limit. The rest count as “Other”."
            }
            (Self::Pages, Locale::ZhCn) => "页面或来源网站的种类超过每日上限，按“其他”统计。",
            (Self::Pages, Locale::EnUs) => {
                "The app has more pages or referring sites than its daily limit. The rest count \
                 as “Other”."
            }
        }
    }
}

impl Limits {
    pub fn of(&self, limit: Limit) -> usize {
        match limit {
            Limit::EventNames => self.event_names,
            Limit::PropertyNames => self.property_names,
            Limit::FieldValues => self.field_values,
            Limit::Pages => self.pages,
        }
    }
}
