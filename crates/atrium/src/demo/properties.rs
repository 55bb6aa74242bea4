//! The properties of events, as JSON. All texts are our own and need no escaping; a test parses every
//! one of them.

use std::fmt::Write as _;

use super::chance::Chance;
use super::goods::{self, Item, Origin};
use super::journeys::Detail;
use super::names::Identity;
use super::stories::{Market, Story};

/// The subject of a visit: the same item at the same price through all of its funnel.
#[derive(Clone)]
pub struct Subject {
    pub item: &'static Item,
    pub quantity: u64,
    /// The number of an order, an article, a ticket or a document.
    pub number: u64,
    /// Where the visit came from.
    pub origin: &'static Origin,
    /// The page before this one, of the same visit.
    pub previous: Option<&'static str>,
}

impl Subject {
    pub fn new(story: &Story, chance: &mut Chance) -> Self {
        Self {
            item: chance.pick(goods::items(story.market, story.surface)),
            quantity: 1 + u64::from(chance.odds(0.18)),
            number: 10_000 + chance.below(90_000),
            origin: chance.weighted(goods::origins(story.market)),
            previous: None,
        }
    }

    pub fn turn_to_another(&mut self, story: &Story, chance: &mut Chance) {
        let Self { item, number, .. } = Self::new(story, chance);
        (self.item, self.number) = (item, number);
    }

    /// Fills the visit's subject into a path.
    pub fn fill(&self, path: &str, into: &mut String) {
        into.clear();
        let mut rest = path;
        while let Some((before, after)) = rest.split_once('{') {
            into.push_str(before);
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            let _ = match name {
                "item" => write!(into, "{}", self.item.id),
                "category" => write!(into, "{}", self.item.category),
                _ => write!(into, "{}", self.number),
            };
            rest = after;
        }
        into.push_str(rest);
    }

    fn amount(&self) -> Money {
        Money(self.item.price * self.quantity)
    }
}

struct Money(u64);

impl std::fmt::Display for Money {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// Writes the properties of a step. Writing to a string cannot fail.
pub fn write(
    detail: Detail,
    story: &Story,
    subject: &Subject,
    chance: &mut Chance,
    into: &mut String,
) {
    into.clear();
    let currency = goods::currency(story.market);
    let Item { id, name, category, price } = subject.item;
    let _ = match detail {
        Detail::Nothing => write!(into, "{{}}"),
        Detail::Page => page(story, subject, into),
        Detail::Search => {
            let word = chance.pick(goods::words(story.market));
            let results = chance.below(120);
            write!(into, r#"{{"keyword":"{word}","results":{results}}}"#)
        }
        Detail::Button(id, zh, en) => {
            let label = if story.market == Market::China { zh } else { en };
            write!(into, r#"{{"button_id":"{id}","button_label":"{label}"}}"#)
        }
        Detail::Item => {
            let price = Money(*price);
            write!(
                into,
                r#"{{"item_id":"{id}","item_name":"{name}","category":"{category}","price":{price},"currency":"{currency}"}}"#
            )
        }
        Detail::Cart => {
            let (quantity, amount) = (subject.quantity, subject.amount());
            write!(
                into,
                r#"{{"item_id":"{id}","category":"{category}","quantity":{quantity},"amount":{amount},"currency":"{currency}"}}"#
            )
        }
        Detail::Order => order(story, subject, chance, into),
        Detail::Refusal => {
            let method = chance.weighted(goods::payments(story.market));
            let amount = subject.amount();
            write!(
                into,
                r#"{{"code":"E_POPUP_BLOCKED","payment_method":"{method}","amount":{amount},"currency":"{currency}"}}"#
            )
        }
        Detail::Rating => write!(into, r#"{{"item_id":"{id}","stars":{}}}"#, 5 - chance.below(3)),
        Detail::Article => {
            let seconds = 20 + chance.wait(140.0) as u64;
            let number = subject.number;
            write!(
                into,
                r#"{{"article_id":{number},"section":"{category}","seconds":{seconds},"finished":{}}}"#,
                seconds > 110
            )
        }
        Detail::Share => {
            let channel = chance.pick(&["copy_link", "mail", "whatsapp", "mastodon"]);
            write!(into, r#"{{"article_id":{},"channel":"{channel}"}}"#, subject.number)
        }
        Detail::Ticket => {
            let queue = chance.pick(&["refund", "delivery", "invoice", "account"]);
            let priority = chance.weighted(&[(70.0, "normal"), (22.0, "high"), (8.0, "urgent")]);
            write!(
                into,
                r#"{{"ticket_id":{},"queue":"{queue}","priority":"{priority}"}}"#,
                subject.number
            )
        }
        Detail::Report => {
            let format = chance.weighted(&[(55.0, "csv"), (30.0, "xlsx"), (15.0, "pdf")]);
            write!(into, r#"{{"format":"{format}","rows":{}}}"#, chance.below(20_000))
        }
        Detail::Document => {
            let words = chance.wait(420.0) as u64;
            write!(
                into,
                r#"{{"document_id":{},"words":{words},"shared":{}}}"#,
                subject.number,
                chance.odds(0.4)
            )
        }
        Detail::Plan => {
            let plan = chance.weighted(&[(76.0, "pro"), (24.0, "team")]);
            let yearly = chance.odds(0.35);
            let amount = Money(match (*plan, yearly) {
                ("pro", false) => 900,
                ("pro", true) => 9_000,
                (_, false) => 2_900,
                (_, true) => 29_000,
            });
            let interval = if yearly { "year" } else { "month" };
            write!(
                into,
                r#"{{"plan":"{plan}","interval":"{interval}","amount":{amount},"currency":"{currency}"}}"#
            )
        }
    };
}

/// The first page of a visit has its origin as the referrer, the others the previous page.
fn page(story: &Story, subject: &Subject, into: &mut String) -> std::fmt::Result {
    let (referrer, campaign) = subject.origin;
    match (subject.previous, campaign) {
        (Some(previous), _) => {
            let mut path = String::new();
            subject.fill(previous, &mut path);
            write!(into, r#"{{"referrer":"{}{path}"}}"#, story.host)
        }
        (None, None) => write!(into, r#"{{"referrer":"{referrer}"}}"#),
        (None, Some(campaign)) => {
            let goods::Campaign { source, medium, name } = campaign;
            write!(
                into,
                r#"{{"referrer":"{referrer}","utm_source":"{source}","utm_medium":"{medium}","utm_campaign":"{name}"}}"#
            )
        }
    }
}

fn order(
    story: &Story,
    subject: &Subject,
    chance: &mut Chance,
    into: &mut String,
) -> std::fmt::Result {
    let Item { id, category, .. } = subject.item;
    let method = chance.weighted(goods::payments(story.market));
    let currency = goods::currency(story.market);
    let (quantity, amount, number) = (subject.quantity, subject.amount(), subject.number);
    let coupon = if chance.odds(0.22) { r#""WELCOME10""# } else { "null" };
    write!(
        into,
        r#"{{"order_id":"O-{number}","item_id":"{id}","category":"{category}","quantity":{quantity},"amount":{amount},"currency":"{currency}","payment_method":"{method}","coupon":{coupon}}}"#
    )
}

/// For the order of an earlier visit.
pub fn refund(story: &Story, subject: &Subject, chance: &mut Chance, into: &mut String) {
    let reason = chance.weighted(&[(46.0, "unwanted"), (32.0, "damaged"), (22.0, "late")]);
    let (number, amount) = (subject.number, subject.amount());
    let (category, currency) = (subject.item.category, goods::currency(story.market));
    into.clear();
    let _ = write!(
        into,
        r#"{{"order_id":"O-{number}","category":"{category}","amount":{amount},"currency":"{currency}","reason":"{reason}"}}"#
    );
}

/// Contains an email address, as careless applications do, to show redaction.
pub fn sign_up(who: &Identity, chance: &mut Chance, into: &mut String) {
    let method = chance.weighted(&[(58.0, "email"), (30.0, "phone"), (12.0, "sso")]);
    into.clear();
    let _ = write!(into, r#"{{"method":"{method}","email":"{}","plan":"free"}}"#, who.email);
}

pub fn error(version: &str, chance: &mut Chance, into: &mut String) {
    let (code, message) = chance.weighted(&[
        (50.0, ("E_TIMEOUT", "The request took too long")),
        (30.0, ("E_NULL", "Cannot read properties of undefined")),
        (20.0, ("E_ASSET", "A script could not be loaded")),
    ]);
    into.clear();
    let _ =
        write!(into, r#"{{"code":"{code}","message":"{message}","client_version":"{version}"}}"#);
}

/// A user's profile from the day they sign up.
pub fn user(who: &Identity, into: &mut String) {
    let Identity { name, email, phone, city, .. } = who;
    into.clear();
    let _ = write!(
        into,
        r#"{{"name":"{name}","email":"{email}","phone":"{phone}","city":"{city}","plan":"free"}}"#
    );
}

pub fn device(model: &str, origin: &Origin, into: &mut String) {
    let (referrer, campaign) = origin;
    let campaign = campaign.as_ref().map_or("none", |campaign| campaign.name);
    into.clear();
    let _ = write!(
        into,
        r#"{{"model":"{model}","first_referrer":"{referrer}","first_campaign":"{campaign}"}}"#
    );
}
