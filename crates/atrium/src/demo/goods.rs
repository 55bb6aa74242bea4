//! The vocabulary of events' properties: what is sold, searched for, read and clicked on.

use super::stories::{Market, Surface};

pub struct Item {
    pub id: &'static str,
    pub name: &'static str,
    pub category: &'static str,
    /// In the smallest unit of the currency.
    pub price: u64,
}

const fn item(id: &'static str, name: &'static str, category: &'static str, price: u64) -> Item {
    Item { id, name, category, price }
}

const CHINA_GOODS: &[Item] = &[
    item("p1001", "手冲咖啡壶", "kitchen", 16_900),
    item("p1002", "空气炸锅", "kitchen", 32_900),
    item("p1003", "羊毛围巾", "clothing", 25_900),
    item("p1004", "冲锋衣", "clothing", 59_900),
    item("p1005", "降噪耳机", "digital", 89_900),
    item("p1006", "机械键盘", "digital", 45_900),
    item("p1007", "绿萝盆栽", "home", 3_900),
    item("p1008", "记忆棉枕", "home", 19_900),
    item("p1009", "跑鞋", "sport", 49_900),
    item("p1010", "瑜伽垫", "sport", 12_900),
    item("p1011", "儿童绘本", "books", 5_800),
    item("p1012", "护手霜", "beauty", 6_900),
];

const CHINA_SERVICES: &[Item] = &[
    item("s201", "日常保洁 2 小时", "cleaning", 9_900),
    item("s202", "开荒保洁", "cleaning", 69_900),
    item("s203", "空调清洗", "appliance", 12_900),
    item("s204", "家电维修上门", "appliance", 5_900),
    item("s205", "小车搬家", "moving", 25_900),
    item("s206", "宠物洗护", "pet", 15_800),
    item("s207", "上门做饭", "cooking", 18_800),
];

const EUROPE_GOODS: &[Item] = &[
    item("h-101", "Stoneware mug", "kitchen", 1_490),
    item("h-102", "Cast iron pan", "kitchen", 6_900),
    item("h-103", "Bread knife", "kitchen", 3_450),
    item("h-104", "Linen tablecloth", "textiles", 7_900),
    item("h-105", "Wool blanket", "textiles", 11_900),
    item("h-106", "Tea towels, set of 3", "textiles", 1_990),
    item("h-107", "Oak cutting board", "wood", 4_200),
    item("h-108", "Salad bowl", "wood", 5_600),
    item("h-109", "Beeswax candle", "light", 990),
    item("h-110", "Reading lamp", "light", 8_900),
];

const EUROPE_READS: &[Item] = &[
    item("politics", "Politics", "politics", 0),
    item("science", "Science", "science", 0),
    item("culture", "Culture", "culture", 0),
    item("cities", "Cities", "cities", 0),
    item("food", "Food", "food", 0),
];

pub fn items(market: Market, surface: Surface) -> &'static [Item] {
    match (market, surface) {
        (Market::China, Surface::Phone) => CHINA_SERVICES,
        (Market::China, _) => CHINA_GOODS,
        (Market::Europe, Surface::Phone) => EUROPE_READS,
        (Market::Europe, _) => EUROPE_GOODS,
    }
}

/// A campaign that visits come from.
pub struct Campaign {
    pub source: &'static str,
    pub medium: &'static str,
    pub name: &'static str,
}

const fn campaign(source: &'static str, medium: &'static str, name: &'static str) -> Campaign {
    Campaign { source, medium, name }
}

/// The referrer of a visit, and its campaign.
pub type Origin = (&'static str, Option<Campaign>);

const CHINA_ORIGINS: &[(f64, Origin)] = &[
    (38.0, ("unknown", None)),
    (20.0, ("https://www.baidu.com/", None)),
    (9.0, ("https://www.baidu.com/", Some(campaign("baidu", "cpc", "brand-words")))),
    (14.0, ("https://mp.weixin.qq.com/", Some(campaign("wechat", "social", "member-day")))),
    (
        9.0,
        ("https://www.xiaohongshu.com/", Some(campaign("xiaohongshu", "social", "new-arrivals"))),
    ),
    (6.0, ("https://www.zhihu.com/", None)),
    (4.0, ("https://weibo.com/", Some(campaign("weibo", "social", "topics")))),
];

const EUROPE_ORIGINS: &[(f64, Origin)] = &[
    (36.0, ("unknown", None)),
    (27.0, ("https://www.google.com/", None)),
    (10.0, ("https://www.google.com/", Some(campaign("google", "cpc", "brand")))),
    (5.0, ("https://www.bing.com/", None)),
    (4.0, ("https://duckduckgo.com/", None)),
    (9.0, ("https://www.instagram.com/", Some(campaign("instagram", "social", "lookbook")))),
    (9.0, ("unknown", Some(campaign("newsletter", "email", "weekly")))),
];

/// Coupons for first-time visitors: many come, and few of them return.
pub const CHINA_COUPONS: Origin =
    ("https://www.douyin.com/", Some(campaign("douyin", "cpm", "new-user-coupon")));
pub const EUROPE_COUPONS: Origin =
    ("https://www.tiktok.com/", Some(campaign("tiktok", "cpm", "first-order-coupon")));

pub fn origins(market: Market) -> &'static [(f64, Origin)] {
    match market {
        Market::China => CHINA_ORIGINS,
        Market::Europe => EUROPE_ORIGINS,
    }
}

const CHINA_WORDS: &[&str] =
    &["咖啡", "耳机", "跑鞋", "收纳", "礼物", "清洗", "退款", "发票", "物流"];
const EUROPE_WORDS: &[&str] =
    &["mug", "blanket", "gift", "lamp", "invoice", "refund", "delivery", "template", "minutes"];

pub fn words(market: Market) -> &'static [&'static str] {
    match market {
        Market::China => CHINA_WORDS,
        Market::Europe => EUROPE_WORDS,
    }
}

const CHINA_PAYMENTS: &[(f64, &str)] =
    &[(52.0, "wechat_pay"), (40.0, "alipay"), (6.0, "unionpay"), (2.0, "card")];
const EUROPE_PAYMENTS: &[(f64, &str)] =
    &[(38.0, "card"), (34.0, "paypal"), (16.0, "invoice"), (12.0, "sepa")];

pub fn payments(market: Market) -> &'static [(f64, &'static str)] {
    match market {
        Market::China => CHINA_PAYMENTS,
        Market::Europe => EUROPE_PAYMENTS,
    }
}

pub fn currency(market: Market) -> &'static str {
    match market {
        Market::China => "CNY",
        Market::Europe => "EUR",
    }
}
