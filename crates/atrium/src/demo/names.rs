//! Names, addresses and cities of fictional people. Email addresses are at example.com, which nobody
//! can own, and phone numbers come from the ranges that Britain, Germany and North America reserve for
//! fiction; China has none.

use super::chance::Chance;
use super::stories::Market;

pub struct Identity {
    pub name: String,
    pub email: String,
    pub phone: String,
    pub city: &'static str,
    pub plan: &'static str,
}

const CHINA_FAMILY: &[(f64, (&str, &str))] = &[
    (7.3, ("王", "wang")),
    (7.1, ("李", "li")),
    (6.8, ("张", "zhang")),
    (5.4, ("刘", "liu")),
    (4.5, ("陈", "chen")),
    (3.1, ("杨", "yang")),
    (2.3, ("黄", "huang")),
    (2.1, ("赵", "zhao")),
    (2.0, ("吴", "wu")),
    (1.9, ("周", "zhou")),
    (1.5, ("徐", "xu")),
    (1.4, ("孙", "sun")),
    (1.2, ("马", "ma")),
    (1.1, ("林", "lin")),
    (0.5, ("欧阳", "ouyang")),
];
const CHINA_GIVEN: &[(&str, &str)] = &[
    ("伟", "wei"),
    ("芳", "fang"),
    ("娜", "na"),
    ("敏", "min"),
    ("静", "jing"),
    ("强", "qiang"),
    ("磊", "lei"),
    ("洋", "yang"),
    ("艳", "yan"),
    ("杰", "jie"),
    ("秀英", "xiuying"),
    ("子涵", "zihan"),
    ("雨桐", "yutong"),
    ("浩然", "haoran"),
    ("思远", "siyuan"),
    ("欣怡", "xinyi"),
    ("建国", "jianguo"),
    ("梓萱", "zixuan"),
    ("宇轩", "yuxuan"),
    ("晓明", "xiaoming"),
];
const CHINA_CITIES: &[(f64, &str)] = &[
    (14.0, "上海"),
    (13.0, "北京"),
    (11.0, "深圳"),
    (10.0, "广州"),
    (9.0, "杭州"),
    (8.0, "成都"),
    (7.0, "重庆"),
    (7.0, "武汉"),
    (6.0, "南京"),
    (5.0, "苏州"),
    (5.0, "西安"),
    (3.0, "长沙"),
    (2.0, "青岛"),
];
const EUROPE_GIVEN: &[&str] = &[
    "Anna", "Ben", "Clara", "David", "Emma", "Felix", "Greta", "Hannah", "Isabel", "Jan", "Katrin",
    "Leon", "Marie", "Noah", "Olivia", "Paul", "Rosa", "Simon", "Thea", "Viktor",
];
const EUROPE_FAMILY: &[&str] = &[
    "Bauer", "Brown", "Dubois", "Fischer", "Garcia", "Hansen", "Janssen", "Klein", "Kowalski",
    "Martin", "Meyer", "Novak", "Olsen", "Rossi", "Schmidt", "Smith", "Taylor", "Wagner", "Walker",
    "Weber",
];
const EUROPE_CITIES: &[(f64, &str)] = &[
    (14.0, "Berlin"),
    (12.0, "London"),
    (9.0, "Hamburg"),
    (8.0, "Munich"),
    (8.0, "Paris"),
    (7.0, "Amsterdam"),
    (6.0, "Vienna"),
    (6.0, "Cologne"),
    (5.0, "Manchester"),
    (5.0, "New York"),
    (4.0, "Warsaw"),
    (4.0, "Zurich"),
    (3.0, "Milan"),
];
const PLANS: &[(f64, &str)] = &[(78.0, "free"), (17.0, "pro"), (5.0, "team")];
/// Prefixes, and how many numbers each has.
const FICTIONAL_PHONES: &[(&str, u64)] =
    &[("+44 7700 900", 1_000), ("+49 30 23125", 1_000), ("+1 202 555 01", 100)];

pub fn identity(market: Market, number: u64, chance: &mut Chance) -> Identity {
    let (name, spelled, city) = match market {
        Market::China => {
            let (family, family_spelled) = chance.weighted(CHINA_FAMILY);
            let (given, given_spelled) = chance.pick(CHINA_GIVEN);
            let spelled = format!("{family_spelled}.{given_spelled}");
            (format!("{family}{given}"), spelled, chance.weighted(CHINA_CITIES))
        }
        Market::Europe => {
            let (given, family) = (chance.pick(EUROPE_GIVEN), chance.pick(EUROPE_FAMILY));
            let spelled = format!("{given}.{family}").to_lowercase();
            (format!("{given} {family}"), spelled, chance.weighted(EUROPE_CITIES))
        }
    };
    let (range, end) = chance.pick(FICTIONAL_PHONES);
    let (last, digits) = (chance.below(*end), end.to_string().len() - 1);
    Identity {
        name,
        email: format!("{spelled}.{number}@example.com"),
        phone: format!("{range}{last:0digits$}"),
        city,
        plan: chance.weighted::<&str>(PLANS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_can_be_reached() {
        let mut chance = Chance::of(&[1]);
        for market in [Market::China, Market::Europe] {
            for number in 0..200 {
                let who = identity(market, number, &mut chance);
                assert!(who.email.ends_with(&format!(".{number}@example.com")), "{}", who.email);
                assert!(who.email.is_ascii(), "{}", who.email);
                let rest =
                    FICTIONAL_PHONES.iter().find_map(|(range, _)| who.phone.strip_prefix(range));
                assert!(matches!(rest.unwrap().len(), 2 | 3), "{}", who.phone);
            }
        }
    }
}
