//! What is not shown, in SQL and in Rust: a statement's conditions hide exactly what the classifier hides.

use serde::Deserialize;
use serde_json::{Number, Value, json};
use uuid::Uuid;
use warehouse::shown::{
    Shown, looks_personal, looks_personal_as, number_looks_personal, whole_part,
};
use warehouse::{Identity, Kind, Param};

use crate::support::{Dice, Store};

/// Personal data, or nearly so.
const CORES: &[&str] = &[
    "jane.roe@example.com",
    "数据@例子.中国",
    "a@b",
    "jane%40example.com",
    "jane%2540example.com",
    "x＠y.org",
    "13800138000",
    "138 0013 8000",
    "138-0013-8000",
    "１３８００１３８０００",
    "+86 138 0013 8000",
    "+49 30 1234567",
    "(415) 555-2671",
    "1-415-555-2671",
    "010-12345678",
    "078-05-1120",
    "1380013800",
    "12800138000",
    "11010519491231002X",
    "110105 19491231 0021",
    "11010519491331002X",
    "6222021234567890123",
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "3782 822463 10005",
    "352099001761481",
    "٠١٢٣٤٥٦٧٨٩",
    "203.0.113.7",
    "130.0.0.0",
    "2001:db8::8a2e:370:7334",
    "00:1B:44:11:3A:B7",
    "aa:bb:cc:dd:ee:ff",
    "08:00:00",
    "2026-11-15",
    "/reset?token=abc",
    "?utm_source=x",
    "access_token=Zm9v",
    "Bearer abcdefgh1",
    "bEaReR abcdefgh",
    "jane@例子.😀😀",
    "eyJhbGciOiJIUzI1.x",
    "50%",
    "1762732800000",
    "31.2304, 121.4737",
    "01a1dd08-6e8b-7c12-a86d-ab85cdefca48",
    "pro",
    "团队",
    "%",
    "%ff",
    "%zz",
];

const AROUND: &[&str] = &[
    "",
    "",
    " ",
    "call ",
    "手机：",
    "，谢谢",
    "x",
    "-",
    "_",
    ".",
    "(",
    ")",
    "+",
    "/",
    "=",
    "&",
    "\"",
    "\\",
    "\n",
    "\t",
    "%20",
    "%E6%89%8B",
    "%ff",
    "%",
    "1",
    "0",
    "é",
    "\u{200b}",
    "\u{a0}",
    "🙂",
    "{\"a\":\"",
    "\"}",
    "<",
    ">",
    "\u{0}",
];

const BITS: &[&str] = &[
    "0", "1", "3", "8", "13", "138", "0013", "86", "+", "-", " ", ".", "(", ")", "@", "a", "Z",
    "com", ":", "%", "40", "%40", "=", "token", "key", "?", "&", "１", "－", "号", "/", "\u{3000}",
    "eyJ", "４", "@", ".cn",
];

fn texts() -> Vec<String> {
    let mut dice = Dice(2_026);
    let mut pick = |list: &[&str]| list[dice.below(list.len() as u64) as usize].to_owned();
    let mut texts: Vec<String> = CORES.iter().map(|core| (*core).to_owned()).collect();
    for _ in 0..3_000 {
        texts.push(format!("{}{}{}{}", pick(AROUND), pick(AROUND), pick(CORES), pick(AROUND)));
    }
    for length in 0..3_000 {
        texts.push((0..=length % 14).map(|_| pick(BITS)).collect());
    }
    texts
}

#[derive(Deserialize)]
struct Row {
    hidden: Vec<u8>,
}

/// For each text, whether a condition on `x` holds.
async fn hidden(store: &Store, app: Uuid, texts: &[String], condition: &str) -> Vec<bool> {
    let sql = format!(
        "SELECT groupArray(toUInt8({condition})) AS hidden FROM (SELECT arrayJoin({{texts:Array(String)}}) AS x, \
         'user-jane-77' AS user_id, 'd-9' AS device_id)"
    );
    let mut all = Vec::new();
    for texts in texts.chunks(100) {
        let params = [("app", app.into()), ("texts", Param::Texts(texts.to_vec()))];
        let rows: Vec<Row> = store.warehouse.query(&sql, &params).await.unwrap();
        all.extend(rows[0].hidden.iter().map(|hidden| *hidden == 1));
    }
    assert_eq!(all.len(), texts.len());
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_classifier_hides_is_hidden_in_statements_too() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let shown = Shown::of("{app:UUID}");
    let texts = texts();
    for is_version in [false, true] {
        let in_sql = hidden(&store, app, &texts, &shown.hides_text("x", is_version)).await;
        let (mut both, mut more) = (0, 0);
        for (text, in_sql) in texts.iter().zip(in_sql) {
            let in_rust = looks_personal_as(text, is_version);
            assert!(in_sql || !in_rust, "shown in SQL: {text:?}");
            both += usize::from(in_sql && in_rust);
            more += usize::from(in_sql && !in_rust);
        }
        assert!(both > 1_000 && more < texts.len() / 100, "{both} {more} of {}", texts.len());
    }
    // As JSON, with escapes of all kinds.
    let escaped = |text: &String| {
        let plain = Value::from(text.as_str()).to_string();
        let all = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
        [plain, format!("\"{all}\"")]
    };
    let quoted: Vec<String> = texts.iter().take(600).flat_map(escaped).collect();
    let in_sql = hidden(&store, app, &quoted, &shown.hides_json("x", false)).await;
    for (json, in_sql) in quoted.iter().zip(in_sql) {
        let text: String = serde_json::from_str(json).unwrap();
        assert!(in_sql || !looks_personal(&text), "shown in SQL: {json}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_are_hidden_however_they_are_written() {
    let store = Store::open().await;
    let shown = Shown::of("{app:UUID}");
    let mut numbers: Vec<String> = [
        "13800138000",
        "-13800138000",
        "13800138000.0",
        "1.3800138e10",
        "13800138000.5",
        "6222021234567890",
        "352099001761481",
        "110105194912310021",
        "19.99",
        "1762732800000",
        "3",
        "-7",
        "1e400",
        "0",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut dice = Dice(7);
    numbers.extend((0..500).map(|_| (dice.below(1 << 31) * dice.below(1 << 30)).to_string()));
    let in_sql = hidden(&store, Uuid::new_v4(), &numbers, &shown.hides_json("x", false)).await;
    for (text, in_sql) in numbers.iter().zip(in_sql) {
        let Ok(number) = serde_json::from_str::<Number>(text) else { continue };
        assert!(in_sql || !number_looks_personal(&whole_part(&number)), "shown in SQL: {text}");
    }
    let certain = numbers[..8].iter().map(|text| serde_json::from_str::<Number>(text).unwrap());
    for number in certain {
        assert!(number_looks_personal(&whole_part(&number)), "{number}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_are_hidden_wherever_they_stand() {
    let store = Store::open().await;
    let app = Uuid::new_v4();
    let people = [
        Identity::of(app, Kind::User, b"user-bob-12"),
        Identity::of(app, Kind::Device, b"phone-4711"),
        Identity::of(app, Kind::User, b"10020030"),
        Identity::of(app, Kind::User, b"unknown"),
    ];
    let numbered: Vec<_> = people.into_iter().zip(1..).collect();
    store.warehouse.add_person_ids(&numbered, |_| 0).await.unwrap();
    let shown = Shown::of("{app:UUID}");
    for (text, expected) in [
        ("user-jane-77", true),
        ("ask user-jane-77 about it", true),
        ("d-9", true),
        ("ad-90", false),
        ("user-bob-12", true),
        ("phone-4711", true),
        ("10020030", true),
        ("user-bob-13", false),
        // A person who uses this as their id does not hide it for everyone.
        ("unknown", false),
    ] {
        let found = hidden(&store, app, &[text.to_owned()], &shown.hides_text("x", false)).await;
        assert_eq!(found, [expected], "{text}");
        let other =
            hidden(&store, Uuid::new_v4(), &[text.to_owned()], &shown.hides_text("x", false)).await;
        let own = text.contains("user-jane-77") || text == "d-9";
        assert_eq!(other, [own], "{text} in another app");
    }
    for (value, expected) in
        [(json!(10_020_030), true), (json!(10_020_030.0), true), (json!(10_020_031), false)]
    {
        let found = hidden(&store, app, &[value.to_string()], &shown.hides_json("x", false)).await;
        assert_eq!(found, [expected], "{value}");
    }
    let paths = [
        ("/pricing", "/pricing"),
        ("/a?token=x#y", "/a"),
        ("/a;jsessionid=x", "/a"),
        ("https://shop.example/a/b?c", "/a/b"),
        ("https://shop.example", "/"),
        ("", ""),
        ("/u/user-jane-77/x", "/u/***/x"),
        ("/to/user-bob-12", "/to/***"),
        ("/users/1001/orders", "/users/***/orders"),
        ("/users/settings", "/users/settings"),
        ("/reset/5f7c8ec7c33c6c004bbafe82", "/reset/***"),
        ("/m/jane%40example.com/13800138000", "/m/***/***"),
        ("//x", "//x"),
    ];
    let sql = format!(
        "SELECT {} AS path FROM (SELECT {{x:String}} AS url_path, 'user-jane-77' AS user_id, \
                       'd-9' AS device_id)",
        shown.path()
    );
    for (path, expected) in paths {
        let params = [("app", app.into()), ("x", path.into())];
        let rows: Vec<Value> = store.warehouse.query(&sql, &params).await.unwrap();
        assert_eq!(rows[0]["path"], expected, "{path}");
    }
}
