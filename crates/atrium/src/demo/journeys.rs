//! What people do in a visit: steps that fewer and fewer people reach, as in any funnel.

use super::chance::Chance;

/// What an event's properties are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Page,
    Search,
    Item,
    /// A button by its id and its labels in Chinese and English.
    Button(&'static str, &'static str, &'static str),
    Cart,
    Order,
    Refusal,
    Rating,
    Article,
    Share,
    Ticket,
    Report,
    Document,
    Plan,
    Nothing,
}

/// `{item}`, `{category}` and `{number}` in a path are replaced by the subject of the visit.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub event: &'static str,
    pub path: &'static str,
    /// The share of people at this point who continue.
    odds: f64,
    /// How many times in a row at most.
    most: u64,
    /// Whether people who skip this step continue anyway.
    optional: bool,
    /// Whether each repetition is about another item, article or ticket; the last one is the subject of
    /// the following steps.
    pub browses: bool,
    pub detail: Detail,
}

const fn step(event: &'static str, path: &'static str, odds: f64, detail: Detail) -> Step {
    Step { event, path, odds, most: 1, optional: false, browses: false, detail }
}

impl Step {
    const fn up_to(self, most: u64) -> Self {
        Self { most, ..self }
    }

    const fn browsing_up_to(self, most: u64) -> Self {
        Self { most, browses: true, ..self }
    }

    const fn optional(self) -> Self {
        Self { optional: true, ..self }
    }
}

const FILTER: Detail = Detail::Button("filter", "筛选", "Filter");
const PAY: Detail = Detail::Button("pay", "立即支付", "Pay now");
const BOOK: Detail = Detail::Button("book", "立即预约", "Book now");
const CLOSE: Detail = Detail::Button("close-ticket", "关闭工单", "Close ticket");
const SAVE: Detail = Detail::Button("save", "收藏", "Save for later");

pub const SHOP: &[Step] = &[
    step("page_view", "/", 1.0, Detail::Page),
    step("page_view", "/c/{category}", 0.78, Detail::Page).up_to(3),
    step("search", "/search", 0.34, Detail::Search).up_to(2).optional(),
    step("button_click", "/c/{category}", 0.28, FILTER).optional(),
    step("view_item", "/item/{item}", 0.82, Detail::Item).browsing_up_to(4),
    step("add_to_cart", "/item/{item}", 0.36, Detail::Cart),
    step("page_view", "/cart", 0.9, Detail::Page),
    step("checkout", "/checkout", 0.82, Detail::Cart),
    step("button_click", "/checkout", 0.92, PAY),
    step("purchase", "/checkout/done", 0.8, Detail::Order),
    step("page_view", "/orders", 0.5, Detail::Page),
];

pub const SERVICE: &[Step] = &[
    step("app_open", "/home", 1.0, Detail::Nothing),
    step("page_view", "/home", 1.0, Detail::Page),
    step("search", "/search", 0.25, Detail::Search).optional(),
    step("view_item", "/service/{item}", 0.74, Detail::Item).browsing_up_to(3),
    step("button_click", "/service/{item}", 0.46, BOOK),
    step("page_view", "/booking/time", 0.86, Detail::Page),
    step("checkout", "/booking/confirm", 0.7, Detail::Cart),
    step("purchase", "/booking/done", 0.78, Detail::Order),
    step("rate_service", "/orders", 0.3, Detail::Rating),
];

pub const TICKETS: &[Step] = &[
    step("page_view", "/overview", 1.0, Detail::Page),
    step("search", "/tickets", 0.5, Detail::Search).optional(),
    step("page_view", "/tickets", 0.94, Detail::Page).up_to(3),
    step("open_ticket", "/tickets/{number}", 0.9, Detail::Ticket).browsing_up_to(4),
    step("reply_ticket", "/tickets/{number}", 0.78, Detail::Ticket).up_to(3),
    step("button_click", "/tickets/{number}", 0.6, CLOSE).optional(),
    step("export_report", "/reports", 0.14, Detail::Report),
];

pub const READER: &[Step] = &[
    step("app_open", "/today", 1.0, Detail::Nothing),
    step("page_view", "/today", 1.0, Detail::Page),
    step("page_view", "/section/{category}", 0.4, Detail::Page).optional(),
    step("read_article", "/a/{number}", 0.88, Detail::Article).browsing_up_to(5),
    step("button_click", "/a/{number}", 0.22, SAVE).optional(),
    step("share_article", "/a/{number}", 0.12, Detail::Share).optional(),
    step("page_view", "/subscribe", 0.06, Detail::Page),
    step("subscribe", "/subscribe/done", 0.3, Detail::Plan),
];

pub const PAPERS: &[Step] = &[
    step("page_view", "/docs", 1.0, Detail::Page),
    step("search", "/docs", 0.3, Detail::Search).optional(),
    step("create_document", "/docs/{number}", 0.28, Detail::Document).optional(),
    step("edit_document", "/docs/{number}", 0.9, Detail::Document).up_to(5),
    step("export_report", "/docs/{number}", 0.16, Detail::Report).optional(),
    step("page_view", "/plans", 0.05, Detail::Page),
    step("upgrade_plan", "/plans/done", 0.35, Detail::Plan),
];

const REFUSED: Step = step("payment_failed", "/checkout", 1.0, Detail::Refusal);

/// Makes the payment fail, which ends the visit.
pub fn fail_to_pay(steps: &mut Vec<Step>) {
    if let Some(place) = steps.iter().position(|step| step.event == "purchase") {
        steps.truncate(place);
        steps.push(REFUSED);
    }
}

/// How many visits a person makes on an active day.
pub fn visits(chance: &mut Chance) -> u64 {
    let mut visits = 1;
    while visits < 5 && chance.odds(0.27) {
        visits += 1;
    }
    visits
}

/// Walks through a journey as far as this visit goes.
pub fn walk(journey: &[Step], chance: &mut Chance, mut each: impl FnMut(&Step)) {
    for step in journey {
        if chance.odds(step.odds) {
            for _ in 0..=chance.below(step.most) {
                each(step);
            }
        } else if !step.optional {
            return;
        }
    }
}

/// The average number of events of a person on an active day.
pub fn events_per_day(journey: &[Step]) -> f64 {
    const TRIES: u32 = 4_000;
    let mut chance = Chance::of(&[u64::from(TRIES)]);
    let mut events = 0_u32;
    for _ in 0..TRIES {
        for _ in 0..visits(&mut chance) {
            walk(journey, &mut chance, |_| events += 1);
        }
    }
    f64::from(events) / f64::from(TRIES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_reach_each_further_step_of_the_funnel() {
        let mut chance = Chance::of(&[1]);
        let funnel = ["view_item", "add_to_cart", "checkout", "purchase"];
        let mut reached = [0; 4];
        for _ in 0..5_000 {
            let mut seen = [false; 4];
            walk(SHOP, &mut chance, |step| {
                if let Some(place) = funnel.iter().position(|event| *event == step.event) {
                    seen[place] = true;
                }
            });
            for (count, seen) in reached.iter_mut().zip(seen) {
                *count += u32::from(seen);
            }
        }
        assert!(reached.windows(2).all(|pair| pair[0] > pair[1]), "{reached:?}");
        assert!(reached[3] > 100, "{reached:?}");
    }

    #[test]
    fn a_day_has_a_handful_of_events() {
        for journey in [SHOP, SERVICE, TICKETS, READER, PAPERS] {
            let events = events_per_day(journey);
            assert!((4.0..20.0).contains(&events), "{events}");
        }
    }
}
