//! A question as a statement with bound values.

use super::{Column, Filter, Key, Measure, Property, Question, Test, VALUES_MAX, VALUES_SAMPLE};
use crate::explore::GROUPS_MAX;
use crate::over_limit;
use crate::params::Param;

/// What a group is, beside its value.
pub const NOT_SET: u8 = 0;
pub const TEXT: u8 = 1;
pub const HIDDEN: u8 = 2;
const REST: u8 = 3;

/// Longer values are cut, and told apart no further.
const VALUE_MAX: usize = 100;

/// The parts of a path, those left out that are the id of the event's own user or device.
const PATH_WITHOUT_IDS: &str = "arrayStringConcat(arrayMap(\
    part -> if(notEmpty(part) AND has([user_id, device_id], decodeURLComponent(part)), '***', part), \
    splitByChar('/', cutQueryStringAndFragment(url_path))), '/')";

#[derive(Default)]
pub struct Statement {
    pub sql: String,
    pub params: Vec<(String, Param)>,
}

impl Statement {
    /// The largest groups.
    pub fn top(question: &Question) -> Self {
        let mut this = Self::default();
        let from = this.grouped(question, "part");
        let size = match question.measure {
            Measure::EventsPerPerson => "events / who",
            Measure::Events => "events",
            Measure::Persons | Measure::Devices => "who",
        };
        this.sql = format!(
            "SELECT belongs.1 AS kind, belongs.2 AS value, {} FROM {from} GROUP BY belongs \
             ORDER BY {size} DESC, kind, value LIMIT {GROUPS_MAX}",
            counts(question.measure)
        );
        this
    }

    /// The groups over time, those that are not among the top taken together.
    pub fn points(question: &Question, top: &[Key]) -> Self {
        let mut this = Self::default();
        let told = this.told(top);
        let from = this.grouped(question, &told);
        let starts = this.bind("Array(UInt32)", question.starts.clone().into());
        this.sql = format!(
            "SELECT belongs.1 AS kind, belongs.2 AS value, \
                roundDown(toUnixTimestamp(time), {starts}) AS slot, grouping(slot) AS whole, {} \
             FROM {from} GROUP BY GROUPING SETS ((belongs), (belongs, slot))",
            counts(question.measure)
        );
        this
    }

    /// What a group `part` is told as.
    fn told(&mut self, top: &[Key]) -> String {
        let texts = top.iter().filter_map(|key| match key {
            Key::Text(text) => Some(text.clone()),
            _ => None,
        });
        let texts = self.bind("Array(String)", Param::Texts(texts.collect()));
        let kinds = top.iter().filter_map(|key| match key {
            Key::NotSet => Some(u64::from(NOT_SET)),
            Key::Hidden => Some(u64::from(HIDDEN)),
            _ => None,
        });
        let kinds = self.bind("Array(UInt8)", Param::UInts(kinds.collect()));
        format!(
            "if(if(part.1 = {TEXT}, has({texts}, part.2), has({kinds}, part.1)), part, \
             (toUInt8({REST}), ''))"
        )
    }

    /// All that passes the filters, each event once.
    pub fn total(question: &Question) -> Self {
        let mut this = Self::default();
        let from = this.filtered(question);
        this.sql = format!("SELECT {} FROM {from}", counts(question.measure));
        this
    }

    /// One more than is shown, to know whether there are others. What has no count of its own is no
    /// value to choose.
    pub fn values(question: &Question, property: &Property, search: &str) -> Self {
        let mut this = Self::default();
        let within = match property.over_limit_bit() {
            Some(bit) => format!(" AND bitAnd(over_limit, {bit}) = 0"),
            None => String::new(),
        };
        let wanted = this.wanted(question) + &within;
        let elements = this.shown(property, question.hide_ids);
        let search = this.bind("String", search.into());
        this.sql = format!(
            "SELECT value, count() AS events FROM (\
                SELECT arrayJoin(arrayDistinct({})) AS element, element.2 AS value \
                FROM (SELECT {elements} AS looked_at, user_id, device_id FROM (\
                    SELECT * FROM events WHERE {wanted} LIMIT {VALUES_SAMPLE})) \
                WHERE element.1 = {TEXT}) \
             WHERE value != '' AND ({search} = '' OR positionCaseInsensitiveUTF8(value, {search}) > 0) \
             GROUP BY value ORDER BY events DESC, value LIMIT {}",
            keys(property, question.hide_ids),
            VALUES_MAX + 1
        );
        this
    }

    /// How many events carry values that have no counts of their own.
    pub fn over_limit(question: &Question, bit: u8) -> Self {
        let mut this = Self::default();
        let wanted = this.wanted(question);
        this.sql = format!(
            "SELECT countIf(bitAnd(over_limit, {bit}) != 0) AS events FROM (\
                SELECT over_limit FROM events WHERE {wanted} LIMIT {VALUES_SAMPLE})"
        );
        this
    }

    /// Events with the group they belong to, as it is told; several times, where they belong to
    /// several.
    fn grouped(&mut self, question: &Question, told: &str) -> String {
        let Some(property) = &question.group_by else {
            let from = self.filtered(question);
            return format!(
                "(SELECT time, person, device, (toUInt8({NOT_SET}), '') AS belongs FROM {from})"
            );
        };
        let elements = self.shown(property, question.hide_ids);
        let from = self.filtered_with(question, &format!(", {elements} AS looked_at"));
        format!(
            "(SELECT time, person, device, \
             arrayJoin(arrayDistinct(arrayMap(part -> {told}, {}))) AS belongs FROM {from})",
            keys(property, question.hide_ids)
        )
    }

    fn filtered(&mut self, question: &Question) -> String {
        self.filtered_with(question, "")
    }

    fn filtered_with(&mut self, question: &Question, more: &str) -> String {
        let wanted = self.wanted(question);
        let passes: Vec<String> =
            question.filters.iter().map(|filter| self.passes(filter)).collect();
        let passes = passes.into_iter().map(|test| format!(" AND {test}")).collect::<String>();
        format!(
            "(SELECT time, person, device, user_id, device_id{more} FROM events \
              WHERE {wanted}{passes})"
        )
    }

    fn wanted(&mut self, question: &Question) -> String {
        let app = self.bind("UUID", question.app.into());
        let from = question.starts.first().copied().unwrap_or(question.end);
        let from = self.bind("UInt32", from.into());
        let to = self.bind("UInt32", question.end.into());
        let event = match &question.event {
            Some(event) => format!(" AND event = {}", self.bind("String", event.clone().into())),
            None => String::new(),
        };
        format!(
            "app_id = {app} AND time >= toDateTime({from}, 'UTC') \
             AND time < toDateTime({to}, 'UTC'){event}"
        )
    }

    fn passes(&mut self, filter: &Filter) -> String {
        let elements = self.elements(&filter.property);
        let is_json = matches!(filter.property, Property::Path(_));
        let text = text(&filter.property);
        let compared = |sign: &str, bound: String| {
            format!("arrayExists(e -> ifNull(toFloat64OrNull(e) {sign} {bound}, 0), {elements})")
        };
        let test = match &filter.test {
            Test::Set => format!("notEmpty({elements})"),
            Test::Is(values) => {
                let numbers = values.iter().filter_map(|value| value.parse().ok());
                let numbers = Param::Floats(numbers.filter(|n: &f64| n.is_finite()).collect());
                let values = self.bind("Array(String)", Param::Texts(values.clone()));
                let same_number = if is_json {
                    let numbers = self.bind("Array(Float64)", numbers);
                    // Quotes keep a text that looks like a number from being one.
                    format!(" OR has({numbers}, ifNull(toFloat64OrNull(e), nan))")
                } else {
                    String::new()
                };
                format!("arrayExists(e -> has({values}, {text}){same_number}, {elements})")
            }
            Test::Contains(values) => {
                let values = self.bind("Array(String)", Param::Texts(values.clone()));
                format!("arrayExists(e -> multiSearchAny({text}, {values}), {elements})")
            }
            Test::Above(bound) => compared(">", self.bind("Float64", (*bound).into())),
            Test::AtLeast(bound) => compared(">=", self.bind("Float64", (*bound).into())),
            Test::Below(bound) => compared("<", self.bind("Float64", (*bound).into())),
            Test::AtMost(bound) => compared("<=", self.bind("Float64", (*bound).into())),
        };
        if filter.negated { format!("NOT {test}") } else { test }
    }

    /// The elements of a property: text of a column, JSON of a path.
    fn elements(&mut self, property: &Property) -> String {
        match property {
            Property::Column(column) => {
                format!("arrayFilter(e -> e != '', [toString({})])", column.name())
            }
            Property::Path(path) => {
                let path: Vec<String> =
                    path.iter().map(|part| self.bind("String", part.clone().into())).collect();
                let raw = format!("JSONExtractRaw(properties, {})", path.join(", "));
                format!(
                    "arrayFilter(e -> e NOT IN ('', 'null'), \
                     if(startsWith({raw}, '['), JSONExtractArrayRaw({raw}), [{raw}]))"
                )
            }
        }
    }

    /// The elements of a property that will be told. A path may name whose page it is.
    fn shown(&mut self, property: &Property, hide_ids: bool) -> String {
        if hide_ids && *property == Property::Column(Column::UrlPath) {
            return format!("arrayFilter(e -> e != '', [{PATH_WITHOUT_IDS}])");
        }
        self.elements(property)
    }

    /// Binds a value and gives the placeholder that stands for it.
    fn bind(&mut self, kind: &str, value: Param) -> String {
        let name = format!("p{}", self.params.len());
        let placeholder = format!("{{{name}:{kind}}}");
        self.params.push((name, value));
        placeholder
    }
}

/// An element `e` as text. What is neither plain nor a list has none of its own.
fn text(property: &Property) -> &'static str {
    match property {
        Property::Column(_) => "e",
        Property::Path(_) => {
            "multiIf(startsWith(e, '\"'), JSONExtractString(e), \
             startsWith(e, '{') OR startsWith(e, '['), '{…}', e)"
        }
    }
}

/// The groups of an event whose elements are `looked_at`.
fn keys(property: &Property, hide_ids: bool) -> String {
    let text = text(property);
    let key = format!("(toUInt8({TEXT}), substringUTF8({text}, 1, {VALUE_MAX}))");
    let key = if hide_ids {
        // Few digits are an id by accident.
        let is_long = match property {
            Property::Column(_) => "",
            Property::Path(_) => " AND (startsWith(e, '\"') OR length(e) >= 5)",
        };
        let is_id = format!("notEmpty({text}) AND has([user_id, device_id], {text}){is_long}");
        format!("if({is_id}, (toUInt8({HIDDEN}), ''), {key})")
    } else {
        key
    };
    format!(
        "if(empty(looked_at), [(toUInt8({NOT_SET}), '')], \
         arrayMap(e -> {key}, looked_at))"
    )
}

/// Of how many events, and of how many different ones, where that is wanted.
fn counts(measure: Measure) -> &'static str {
    match measure {
        Measure::Events => "count() AS events, 0 AS who",
        Measure::Persons | Measure::EventsPerPerson => "count() AS events, uniq(person) AS who",
        Measure::Devices => "count() AS events, uniq(device) AS who",
    }
}

impl Property {
    /// Which bit of a row says that this value of it is over the app's limit.
    pub fn over_limit_bit(&self) -> Option<u8> {
        match self {
            Self::Column(Column::Os) => Some(over_limit::OS),
            Self::Column(Column::Browser) => Some(over_limit::BROWSER),
            Self::Column(Column::DeviceType) => Some(over_limit::DEVICE_TYPE),
            Self::Column(Column::Language) => Some(over_limit::LANGUAGE),
            _ => None,
        }
    }
}

impl Column {
    fn name(self) -> &'static str {
        match self {
            Self::Os => "os",
            Self::Browser => "browser",
            Self::BrowserVersion => "browser_version",
            Self::DeviceType => "device_type",
            Self::Language => "language",
            Self::UrlPath => "url_path",
            Self::ClientVersion => "client_version",
            Self::SdkVersion => "sdk_version",
            Self::Source => "source",
            Self::UserId => "user_id",
            Self::DeviceId => "device_id",
        }
    }
}
