//! The six apps of the demo: what each is, when its people come and what they do.

use super::goods::{self, Origin};
use super::journeys::{self, Step};

/// The number of teams.
pub const TEAMS: usize = 2;

/// Where an app's people live: their languages, devices, names and money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Market {
    China,
    Europe,
}

/// The kind of device that an app is used on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// Any browser.
    Web,
    /// A phone, whose owner installs new versions when it suits them.
    Phone,
    /// A computer at work; people are signed in from the first page on.
    Desk,
}

pub struct Story {
    pub team: usize,
    pub name: &'static str,
    pub description: &'static str,
    pub zone: &'static str,
    /// Its share of all events of the demo.
    pub share: f64,
    /// How busy each hour of the day is in its zone.
    pub rhythm: &'static [f64; 24],
    /// Saturday and Sunday relative to a working day.
    pub weekend: [f64; 2],
    pub market: Market,
    pub surface: Surface,
    pub journey: &'static [Step],
    /// The share of people who return on the day after their first, and how quickly it declines.
    pub back: f64,
    pub fading: f64,
    /// The share of newcomers who sign up.
    pub sign_up: f64,
    /// The first number of its versions.
    pub major: u32,
    pub host: &'static str,
    pub trouble: Option<Trouble>,
}

/// What goes wrong in an app, for analyses to find. One of its releases is bad too: see `calendar`.
pub struct Trouble {
    /// The browser in which most payments fail.
    pub browser: &'static str,
    /// An origin of many people who do not stay.
    pub coupons: &'static Origin,
}

/// Two peaks, a pause at noon, a late evening.
const CHINA: [f64; 24] = [
    8.0, 4.0, 2.0, 1.5, 1.5, 3.0, 9.0, 22.0, 40.0, 64.0, 80.0, 76.0, 44.0, 48.0, 66.0, 72.0, 70.0,
    64.0, 62.0, 76.0, 94.0, 100.0, 78.0, 34.0,
];
const CHINA_OFFICE: [f64; 24] = [
    1.0, 0.5, 0.5, 0.5, 0.5, 1.0, 4.0, 18.0, 62.0, 96.0, 100.0, 88.0, 30.0, 36.0, 84.0, 98.0, 94.0,
    80.0, 46.0, 22.0, 14.0, 9.0, 5.0, 2.0,
];
const EUROPE: [f64; 24] = [
    6.0, 3.0, 1.5, 1.0, 1.0, 3.0, 10.0, 26.0, 46.0, 62.0, 68.0, 66.0, 60.0, 54.0, 52.0, 54.0, 60.0,
    70.0, 84.0, 96.0, 100.0, 84.0, 50.0, 20.0,
];
const EUROPE_OFFICE: [f64; 24] = [
    1.0, 0.5, 0.5, 0.5, 0.5, 2.0, 8.0, 34.0, 72.0, 96.0, 100.0, 90.0, 58.0, 66.0, 88.0, 90.0, 82.0,
    60.0, 34.0, 20.0, 16.0, 12.0, 6.0, 2.0,
];
/// Used on the way to work and in bed.
const READING: [f64; 24] = [
    8.0, 4.0, 2.0, 1.0, 1.0, 4.0, 18.0, 56.0, 82.0, 60.0, 42.0, 38.0, 44.0, 42.0, 38.0, 36.0, 42.0,
    58.0, 70.0, 82.0, 96.0, 100.0, 72.0, 28.0,
];

pub const STORIES: [Story; 6] = [
    Story {
        team: 0,
        name: "云杉商城",
        description: "面向消费者的网上商城",
        zone: "Asia/Shanghai",
        share: 0.30,
        rhythm: &CHINA,
        weekend: [1.22, 1.30],
        market: Market::China,
        surface: Surface::Web,
        journey: journeys::SHOP,
        back: 0.50,
        fading: 0.38,
        sign_up: 0.35,
        major: 5,
        host: "https://shop.yunshan.example.com",
        trouble: Some(Trouble { browser: "WeChat", coupons: &goods::CHINA_COUPONS }),
    },
    Story {
        team: 0,
        name: "云杉到家",
        description: "上门服务预约，iOS、安卓和鸿蒙",
        zone: "Asia/Shanghai",
        share: 0.22,
        rhythm: &CHINA,
        weekend: [1.16, 1.10],
        market: Market::China,
        surface: Surface::Phone,
        journey: journeys::SERVICE,
        back: 0.48,
        fading: 0.37,
        sign_up: 0.45,
        major: 3,
        host: "https://m.yunshan.example.com",
        trouble: None,
    },
    Story {
        team: 0,
        name: "海外客服台",
        description: "新加坡客服团队的内部工具",
        zone: "Asia/Singapore",
        share: 0.05,
        rhythm: &CHINA_OFFICE,
        weekend: [0.34, 0.26],
        market: Market::China,
        surface: Surface::Desk,
        journey: journeys::TICKETS,
        back: 0.60,
        fading: 0.18,
        sign_up: 1.0,
        major: 2,
        host: "https://desk.yunshan.example.com",
        trouble: None,
    },
    Story {
        team: 1,
        name: "Harbor Store",
        description: "Kitchenware and textiles, sold all over Europe",
        zone: "Europe/Berlin",
        share: 0.21,
        rhythm: &EUROPE,
        weekend: [1.12, 0.92],
        market: Market::Europe,
        surface: Surface::Web,
        journey: journeys::SHOP,
        back: 0.49,
        fading: 0.39,
        sign_up: 0.30,
        major: 8,
        host: "https://store.harbor.example.com",
        trouble: Some(Trouble { browser: "Safari", coupons: &goods::EUROPE_COUPONS }),
    },
    Story {
        team: 1,
        name: "Pine Reader",
        description: "Long reads on the phone",
        zone: "America/New_York",
        share: 0.15,
        rhythm: &READING,
        weekend: [1.24, 1.34],
        market: Market::Europe,
        surface: Surface::Phone,
        journey: journeys::READER,
        back: 0.48,
        fading: 0.36,
        sign_up: 0.25,
        major: 4,
        host: "https://read.pine.example.com",
        trouble: None,
    },
    Story {
        team: 1,
        name: "Harbor Papers",
        description: "Documents for small teams, free and paid",
        zone: "Europe/London",
        share: 0.07,
        rhythm: &EUROPE_OFFICE,
        weekend: [0.32, 0.28],
        market: Market::Europe,
        surface: Surface::Desk,
        journey: journeys::PAPERS,
        back: 0.55,
        fading: 0.22,
        sign_up: 1.0,
        major: 1,
        host: "https://papers.harbor.example.com",
        trouble: None,
    },
];

impl Story {
    /// Whether devices are seen before it is known whose they are.
    pub fn begins_anonymous(&self) -> bool {
        self.surface != Surface::Desk
    }

    /// How likely a person is to come back this many days after their first, on an average day.
    pub fn back_after(&self, days: usize) -> f64 {
        self.back * (days as f64).powf(-self.fading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_zones_exist() {
        let sum: f64 = STORIES.iter().map(|story| story.share).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        for story in &STORIES {
            assert!(atrium_core::timezone::exists(story.zone), "{}", story.zone);
            assert!(story.team < TEAMS);
        }
    }
}
