//! A query as a statement with bound values.

use super::{ExploreQuery, Key, Measure, VALUES_MAX, VALUES_SAMPLE};
use crate::conditions::Property;
use crate::explore::GROUPS_MAX;
use crate::owners::Whose;
use crate::params::Param;
use crate::shown::could_be_id;
use crate::statement::{HIDDEN, HiddenAs, NOT_SET, REST, Statement, TEXT, within_hours};

fn statement_of(query: &ExploreQuery) -> Statement {
    // `AsSent`, because filters and groups here do not look at who owns a device.
    Statement::of(query.app, query.hide_personal, Whose::AsSent)
}

/// The largest groups. A hidden group comes first whatever its size, so that the number of people in it
/// is known.
pub fn top(query: &ExploreQuery, whose: Whose, hidden_as: HiddenAs) -> Statement {
    let mut this = statement_of(query);
    let from = grouped(&mut this, query, whose, "part", hidden_as);
    let size = match query.measure {
        Measure::EventsPerPerson => "events / who",
        Measure::Events => "events",
        Measure::Persons | Measure::Devices => "who",
    };
    let (people, first, more) = match query.hide_personal {
        true => (", groupBitmap(person) AS people", format!("kind = {HIDDEN} DESC, "), 1),
        false => ("", String::new(), 0),
    };
    this.sql = format!(
        "SELECT belongs.1 AS kind, belongs.2 AS value, {}{people} FROM {from} GROUP BY belongs \
         ORDER BY {first}{size} DESC, kind, value LIMIT {}",
        counts(query.measure),
        GROUPS_MAX + more
    );
    this
}

/// The groups over time; those not among the top are combined.
pub fn points(query: &ExploreQuery, whose: Whose, top: &[Key], hidden_as: HiddenAs) -> Statement {
    let mut this = statement_of(query);
    let label = group_label(&mut this, top);
    let from = grouped(&mut this, query, whose, &label, hidden_as);
    let starts = this.bind("Array(UInt32)", query.starts.clone().into());
    this.sql = format!(
        "SELECT belongs.1 AS kind, belongs.2 AS value, \
            roundDown(toUnixTimestamp(time), {starts}) AS slot, grouping(slot) AS whole, {} \
         FROM {from} GROUP BY GROUPING SETS ((belongs), (belongs, slot))",
        counts(query.measure)
    );
    this
}

/// The label of a group `part`.
fn group_label(this: &mut Statement, top: &[Key]) -> String {
    let texts = top.iter().filter_map(|key| match key {
        Key::Text(text) => Some(text.clone()),
        _ => None,
    });
    let texts = this.bind("Array(String)", Param::Texts(texts.collect()));
    let kinds = top.iter().filter_map(|key| match key {
        Key::NotSet => Some(u64::from(NOT_SET)),
        Key::Hidden => Some(u64::from(HIDDEN)),
        _ => None,
    });
    let kinds = this.bind("Array(UInt8)", Param::UInts(kinds.collect()));
    format!(
        "if(if(part.1 = {TEXT}, has({texts}, part.2), has({kinds}, part.1)), part, \
         (toUInt8({REST}), ''))"
    )
}

/// All events that pass the filters, each once.
pub fn total(query: &ExploreQuery, whose: Whose) -> Statement {
    let mut this = statement_of(query);
    let from = filtered(&mut this, query, whose, "");
    this.sql = format!("SELECT {} FROM {from}", counts(query.measure));
    this
}

/// One value more than is shown, to know whether there are others. Values over the limit, without counts
/// of their own, are not suggested.
pub fn values(query: &ExploreQuery, property: &Property, search: &str) -> Statement {
    let mut this = statement_of(query);
    let within = match property.over_limit_bit() {
        Some(bit) => format!(" AND bitAnd(over_limit, {bit}) = 0"),
        None => String::new(),
    };
    let wanted = wanted(&mut this, query) + &within;
    let elements = this.elements(property);
    let keys = this.keys(property, &elements, HiddenAs::Hidden);
    let search = this.bind("String", search.into());
    this.sql = format!(
        "SELECT value, count() AS events FROM (\
            SELECT arrayJoin(arrayDistinct({keys})) AS element, element.2 AS value \
            FROM (SELECT * FROM events WHERE {wanted} LIMIT {VALUES_SAMPLE}) \
            WHERE element.1 = {TEXT}) \
         WHERE value != '' AND ({search} = '' OR positionCaseInsensitiveUTF8(value, {search}) > 0) \
         GROUP BY value ORDER BY events DESC, value LIMIT {}",
        VALUES_MAX + 1
    );
    this
}

/// How many events carry values over the limit.
pub fn over_limit(query: &ExploreQuery, bit: u8) -> Statement {
    let mut this = statement_of(query);
    let wanted = wanted(&mut this, query);
    this.sql = format!(
        "SELECT countIf(bitAnd(over_limit, {bit}) != 0) AS events FROM (\
            SELECT over_limit FROM events WHERE {wanted} LIMIT {VALUES_SAMPLE})"
    );
    this
}

/// Events with the label of their group; an event in several groups appears once for each.
fn grouped(
    this: &mut Statement,
    query: &ExploreQuery,
    whose: Whose,
    label: &str,
    hidden_as: HiddenAs,
) -> String {
    let Some(property) = &query.group_by else {
        let from = filtered(this, query, whose, "");
        return format!(
            "(SELECT time, person, device_no, (toUInt8({NOT_SET}), '') AS belongs FROM {from})"
        );
    };
    let elements = this.elements(property);
    let keys = this.keys(property, &elements, hidden_as);
    // Selected in the same subquery as the conditions, not around it: when the engine plans a statement,
    // it resolves the source of a column again for every mention of it.
    let from = filtered(this, query, whose, &format!(", {keys} AS keys"));
    format!(
        "(SELECT time, person, device_no, \
         arrayJoin(arrayDistinct(arrayMap(part -> {label}, keys))) AS belongs FROM {from})"
    )
}

fn filtered(this: &mut Statement, query: &ExploreQuery, whose: Whose, more: &str) -> String {
    let wanted = wanted(this, query);
    let passes: Vec<String> = query.filters.iter().map(|filter| this.passes(filter)).collect();
    let passes = passes.into_iter().map(|test| format!(" AND {test}")).collect::<String>();
    // Resolving people costs something, so it is done only where they are counted.
    let counts_people =
        query.hide_personal || matches!(query.measure, Measure::Persons | Measure::EventsPerPerson);
    let whose = if counts_people { whose } else { Whose::AsSent };
    let columns = format!("time, device_no{more}");
    whose.events(&this.app, &columns, &format!("{wanted}{passes}"))
}

fn wanted(this: &mut Statement, query: &ExploreQuery) -> String {
    let from = query.starts.first().copied().unwrap_or(query.end);
    let [from, to] = [from, query.end]
        .map(|at| format!("toDateTime({}, 'UTC')", this.bind("UInt32", at.into())));
    let event = match &query.event {
        Some(event) => {
            let name = this.bind("String", event.clone().into());
            // An event's name can be a person's id.
            let shown = this.shown.as_ref().filter(|_| could_be_id(event));
            let hidden = shown.map(|it| format!(" AND NOT {}", it.is_id(&name)));
            format!(" AND event = {name}{}", hidden.unwrap_or_default())
        }
        None => String::new(),
    };
    format!(
        "app_id = {} AND time >= {from} AND time < {to} AND {}{event}",
        this.app,
        within_hours(&from, &to)
    )
}

/// The count of events, and of distinct people or devices where wanted.
fn counts(measure: Measure) -> &'static str {
    match measure {
        Measure::Events => "count() AS events, 0 AS who",
        Measure::Persons | Measure::EventsPerPerson => {
            "count() AS events, groupBitmap(person) AS who"
        }
        Measure::Devices => "count() AS events, groupBitmap(device_no) AS who",
    }
}
