//! The systems, browsers and user agents that people use, in realistic shares. The names are those that
//! the SDK derives from such user agents.

use super::stories::{Market, Surface};

pub struct Client {
    pub os: &'static str,
    pub browser: &'static str,
    pub device_type: &'static str,
    /// Models, for the device's profile.
    pub models: &'static [&'static str],
    /// Newest first.
    pub versions: &'static [&'static str],
    /// `{}` stands for the version.
    pub agent: &'static str,
}

const CHROME: &[&str] = &["141.0.0.0", "140.0.0.0", "139.0.0.0", "131.0.0.0", "109.0.0.0"];
const SAFARI: &[&str] = &["26.0", "18.6", "18.5", "17.6", "16.6"];
const IPHONES: &[&str] = &["iPhone 17", "iPhone 16", "iPhone 15", "iPhone 13"];
const ANDROIDS: &[&str] = &["Xiaomi 15", "OPPO Find X8", "vivo X200", "Galaxy S25", "Pixel 9"];

const WINDOWS_CHROME: Client = Client {
    os: "Windows",
    browser: "Chrome",
    device_type: "PC",
    models: &["PC"],
    versions: CHROME,
    agent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{} Safari/537.36",
};
const WINDOWS_EDGE: Client = Client {
    os: "Windows",
    browser: "Edge",
    device_type: "PC",
    models: &["PC"],
    versions: &["141.0.0.0", "140.0.0.0", "138.0.0.0"],
    agent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/{}",
};
const WINDOWS_FIREFOX: Client = Client {
    os: "Windows",
    browser: "Firefox",
    device_type: "PC",
    models: &["PC"],
    versions: &["144.0", "143.0", "128.0"],
    agent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/{}",
};
const MAC_SAFARI: Client = Client {
    os: "macOS",
    browser: "Safari",
    device_type: "PC",
    models: &["MacBook Air", "MacBook Pro", "iMac"],
    versions: SAFARI,
    agent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/{} Safari/605.1.15",
};
const MAC_CHROME: Client = Client {
    os: "macOS",
    browser: "Chrome",
    device_type: "PC",
    models: &["MacBook Air", "MacBook Pro", "Mac mini"],
    versions: CHROME,
    agent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{} Safari/537.36",
};
const LINUX_FIREFOX: Client = Client {
    os: "Linux",
    browser: "Firefox",
    device_type: "PC",
    models: &["PC"],
    versions: &["144.0", "140.0"],
    agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/{}",
};
const IPHONE_SAFARI: Client = Client {
    os: "iOS",
    browser: "Safari",
    device_type: "Mobile",
    models: IPHONES,
    versions: SAFARI,
    agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/{} Mobile/15E148 Safari/604.1",
};
const IPHONE_WECHAT: Client = Client {
    os: "iOS",
    browser: "WeChat",
    device_type: "Mobile",
    models: IPHONES,
    versions: &["8.0.64", "8.0.62", "8.0.58"],
    agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/{} NetType/WIFI Language/zh_CN",
};
const ANDROID_CHROME: Client = Client {
    os: "Android",
    browser: "Chrome",
    device_type: "Mobile",
    models: ANDROIDS,
    versions: CHROME,
    agent: "Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{} Mobile Safari/537.36",
};
const ANDROID_WECHAT: Client = Client {
    os: "Android",
    browser: "WeChat",
    device_type: "Mobile",
    models: ANDROIDS,
    versions: &["8.0.64", "8.0.62", "8.0.58"],
    agent: "Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36 MicroMessenger/{}",
};
const ANDROID_SAMSUNG: Client = Client {
    os: "Android",
    browser: "Samsung Internet",
    device_type: "Mobile",
    models: &["Galaxy S25", "Galaxy A56", "Galaxy S23"],
    versions: &["28.0", "27.0"],
    agent: "Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/{} Chrome/130.0.0.0 Mobile Safari/537.36",
};
const HARMONY: Client = Client {
    os: "HarmonyOS",
    browser: "Chrome",
    device_type: "Mobile",
    models: &["Mate 70", "Pura 80", "nova 14"],
    versions: &["132.0.0.0", "114.0.0.0"],
    agent: "Mozilla/5.0 (Phone; OpenHarmony 5.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{} Mobile Safari/537.36",
};

type Shares = &'static [(f64, &'static Client)];

const CHINA_COMPUTERS: Shares = &[
    (50.0, &WINDOWS_CHROME),
    (28.0, &WINDOWS_EDGE),
    (13.0, &MAC_CHROME),
    (8.0, &MAC_SAFARI),
    (1.0, &LINUX_FIREFOX),
];
const CHINA_PHONES: Shares = &[
    (30.0, &ANDROID_WECHAT),
    (20.0, &ANDROID_CHROME),
    (20.0, &IPHONE_WECHAT),
    (14.0, &IPHONE_SAFARI),
    (16.0, &HARMONY),
];
const EUROPE_COMPUTERS: Shares = &[
    (38.0, &WINDOWS_CHROME),
    (16.0, &WINDOWS_EDGE),
    (14.0, &WINDOWS_FIREFOX),
    (15.0, &MAC_SAFARI),
    (13.0, &MAC_CHROME),
    (4.0, &LINUX_FIREFOX),
];
const EUROPE_PHONES: Shares =
    &[(46.0, &IPHONE_SAFARI), (38.0, &ANDROID_CHROME), (16.0, &ANDROID_SAMSUNG)];

pub fn computers(market: Market) -> Shares {
    match market {
        Market::China => CHINA_COMPUTERS,
        Market::Europe => EUROPE_COMPUTERS,
    }
}

pub fn phones(market: Market) -> Shares {
    match market {
        Market::China => CHINA_PHONES,
        Market::Europe => EUROPE_PHONES,
    }
}

/// The share of an app's people who use it on a phone.
pub fn on_phones(surface: Surface) -> f64 {
    match surface {
        Surface::Web => 0.58,
        Surface::Phone => 1.0,
        Surface::Desk => 0.06,
    }
}

const CHINA_LANGUAGES: &[(f64, &str)] =
    &[(91.0, "zh-CN"), (3.0, "zh-TW"), (2.0, "zh-HK"), (3.5, "en-US"), (0.5, "ja-JP")];
const EUROPE_LANGUAGES: &[(f64, &str)] = &[
    (34.0, "de-DE"),
    (28.0, "en-GB"),
    (18.0, "en-US"),
    (9.0, "fr-FR"),
    (6.0, "nl-NL"),
    (3.0, "pl-PL"),
    (2.0, "it-IT"),
];

pub fn languages(market: Market) -> &'static [(f64, &'static str)] {
    match market {
        Market::China => CHINA_LANGUAGES,
        Market::Europe => EUROPE_LANGUAGES,
    }
}
