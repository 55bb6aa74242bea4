//! A query as a statement with bound values.

use super::{
    Column, ExploreQuery, Filter, Key, Measure, Property, Test, VALUES_MAX, VALUES_SAMPLE,
};
use crate::explore::GROUPS_MAX;
use crate::over_limit;
use crate::owners::Whose;
use crate::params::Param;
use crate::shown::{Shown, says_version};

/// What a group is, beside its value.
pub const NOT_SET: u8 = 0;
pub const TEXT: u8 = 1;
pub const HIDDEN: u8 = 2;
const REST: u8 = 3;

/// Longer values are cut, and told apart no further.
const VALUE_MAX: usize = 100;

/// What values that are not shown are counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenAs {
    /// A group of their own.
    Hidden,
    /// As if they were not there.
    Nothing,
}

pub struct Statement {
    pub sql: String,
    pub params: Vec<(String, Param)>,
    /// The placeholder of the app's id.
    app: String,
    /// For those who are not shown everything.
    shown: Option<Shown>,
    whose: Whose,
    /// Who they are matters to nothing else, and is not free to know.
    counts_people: bool,
}

impl Statement {
    fn of(query: &ExploreQuery, whose: Whose) -> Self {
        let counts_people = query.hide_personal
            || matches!(query.measure, Measure::Persons | Measure::EventsPerPerson);
        let mut this = Self {
            sql: String::new(),
            params: Vec::new(),
            app: String::new(),
            shown: None,
            whose,
            counts_people,
        };
        this.app = this.bind("UUID", query.app.into());
        this.shown = query.hide_personal.then(|| Shown::of(&this.app));
        this
    }

    /// The largest groups. Where there is a hidden one it comes first, whatever its size, so that
    /// it is known how many people are in it.
    pub fn top(query: &ExploreQuery, whose: Whose, hidden_as: HiddenAs) -> Self {
        let mut this = Self::of(query, whose);
        let from = this.grouped(query, "part", hidden_as);
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

    /// The groups over time, those that are not among the top taken together.
    pub fn points(
        query: &ExploreQuery,
        whose: Whose,
        top: &[Key],
        hidden_as: HiddenAs,
    ) -> Self {
        let mut this = Self::of(query, whose);
        let label = this.group_label(top);
        let from = this.grouped(query, &label, hidden_as);
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
    fn group_label(&mut self, top: &[Key]) -> String {
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
    pub fn total(query: &ExploreQuery, whose: Whose) -> Self {
        let mut this = Self::of(query, whose);
        let from = this.filtered(query);
        this.sql = format!("SELECT {} FROM {from}", counts(query.measure));
        this
    }

    /// One more than is shown, to know whether there are others. What has no count of its own is no
    /// value to choose.
    pub fn values(query: &ExploreQuery, property: &Property, search: &str) -> Self {
        let mut this = Self::of(query, Whose::AsSent);
        let within = match property.over_limit_bit() {
            Some(bit) => format!(" AND bitAnd(over_limit, {bit}) = 0"),
            None => String::new(),
        };
        let wanted = this.wanted(query) + &within;
        let elements = this.elements(property);
        let keys = this.keys(property, HiddenAs::Hidden);
        let search = this.bind("String", search.into());
        this.sql = format!(
            "SELECT value, count() AS events FROM (\
                SELECT arrayJoin(arrayDistinct({keys})) AS element, element.2 AS value \
                FROM (SELECT {elements} AS looked_at, user_id, device_id FROM (\
                    SELECT * FROM events WHERE {wanted} LIMIT {VALUES_SAMPLE})) \
                WHERE element.1 = {TEXT}) \
             WHERE value != '' AND ({search} = '' OR positionCaseInsensitiveUTF8(value, {search}) > 0) \
             GROUP BY value ORDER BY events DESC, value LIMIT {}",
            VALUES_MAX + 1
        );
        this
    }

    /// How many events carry values that have no counts of their own.
    pub fn over_limit(query: &ExploreQuery, bit: u8) -> Self {
        let mut this = Self::of(query, Whose::AsSent);
        let wanted = this.wanted(query);
        this.sql = format!(
            "SELECT countIf(bitAnd(over_limit, {bit}) != 0) AS events FROM (\
                SELECT over_limit FROM events WHERE {wanted} LIMIT {VALUES_SAMPLE})"
        );
        this
    }

    /// Events with the group they belong to, as it is told; several times, where they belong to
    /// several.
    fn grouped(&mut self, query: &ExploreQuery, label: &str, hidden_as: HiddenAs) -> String {
        let Some(property) = &query.group_by else {
            let from = self.filtered(query);
            return format!(
                "(SELECT time, person, device_no, (toUInt8({NOT_SET}), '') AS belongs FROM {from})"
            );
        };
        let elements = self.elements(property);
        let from = self.filtered_with(query, &format!(", {elements} AS looked_at"));
        format!(
            "(SELECT time, person, device_no, \
             arrayJoin(arrayDistinct(arrayMap(part -> {label}, {}))) AS belongs FROM {from})",
            self.keys(property, hidden_as)
        )
    }

    fn filtered(&mut self, query: &ExploreQuery) -> String {
        self.filtered_with(query, "")
    }

    fn filtered_with(&mut self, query: &ExploreQuery, more: &str) -> String {
        let wanted = self.wanted(query);
        let passes: Vec<String> = query.filters.iter().map(|filter| self.passes(filter)).collect();
        let passes = passes.into_iter().map(|test| format!(" AND {test}")).collect::<String>();
        let whose = if self.counts_people { self.whose } else { Whose::AsSent };
        let columns = format!("time, device_no, user_id, device_id{more}");
        whose.events(&self.app, &columns, &format!("{wanted}{passes}"))
    }

    fn wanted(&mut self, query: &ExploreQuery) -> String {
        let from = query.starts.first().copied().unwrap_or(query.end);
        let from = self.bind("UInt32", from.into());
        let to = self.bind("UInt32", query.end.into());
        let event = match &query.event {
            Some(event) => {
                let name = self.bind("String", event.clone().into());
                // An event can be called by somebody's id.
                let hidden = self.shown.as_ref().map(|it| format!(" AND NOT {}", it.is_id(&name)));
                format!(" AND event = {name}{}", hidden.unwrap_or_default())
            }
            None => String::new(),
        };
        format!(
            "app_id = {} AND time >= toDateTime({from}, 'UTC') \
             AND time < toDateTime({to}, 'UTC'){event}",
            self.app
        )
    }

    fn passes(&mut self, filter: &Filter) -> String {
        let elements = self.elements(&filter.property);
        let text = text(&filter.property);
        // Asked last: few elements pass the test, and this is the dear part.
        let shown = match self.hides(&filter.property) {
            Some(hides) => format!(" AND NOT {hides}"),
            None => String::new(),
        };
        let any = |test: String| format!("arrayExists(e -> ({test}){shown}, {elements})");
        let compared = |sign: &str, bound: String| {
            any(format!("ifNull(toFloat64OrNull(e) {sign} {bound}, 0)"))
        };
        let test = match &filter.test {
            Test::Set if shown.is_empty() => format!("notEmpty({elements})"),
            Test::Set => any("1".to_owned()),
            Test::Is(values) => any(self.is_one_of(&filter.property, values)),
            Test::Contains(values) => {
                let values = self.bind("Array(String)", Param::Texts(values.clone()));
                any(format!("multiSearchAny({text}, {values})"))
            }
            Test::Above(bound) => compared(">", self.bind("Float64", (*bound).into())),
            Test::AtLeast(bound) => compared(">=", self.bind("Float64", (*bound).into())),
            Test::Below(bound) => compared("<", self.bind("Float64", (*bound).into())),
            Test::AtMost(bound) => compared("<=", self.bind("Float64", (*bound).into())),
        };
        if filter.negated { format!("NOT {test}") } else { test }
    }

    fn is_one_of(&mut self, property: &Property, values: &[String]) -> String {
        let text = text(property);
        let numbers = values.iter().filter_map(|value| value.parse().ok());
        let numbers = Param::Floats(numbers.filter(|n: &f64| n.is_finite()).collect());
        let values = self.bind("Array(String)", Param::Texts(values.to_vec()));
        if matches!(property, Property::Column(_)) {
            return format!("has({values}, {text})");
        }
        let numbers = self.bind("Array(Float64)", numbers);
        // Quotes keep a text that looks like a number from being one.
        format!("has({values}, {text}) OR has({numbers}, ifNull(toFloat64OrNull(e), nan))")
    }

    /// The elements of a property: text of a column, JSON of a path. A path of the page is what is
    /// shown of it; of the others, `hides` tells which are.
    fn elements(&mut self, property: &Property) -> String {
        let path = match (property, &self.shown) {
            (Property::Column(Column::UrlPath), Some(shown)) => {
                return format!("arrayFilter(e -> e != '', [{}])", shown.path());
            }
            (Property::Column(column), _) => {
                return format!("arrayFilter(e -> e != '', [toString({})])", column.name());
            }
            (Property::Path(path), _) => path,
        };
        let path: Vec<String> =
            path.iter().map(|part| self.bind("String", part.clone().into())).collect();
        let raw = format!("JSONExtractRaw(properties, {})", path.join(", "));
        let elements = format!(
            "arrayFilter(e -> e NOT IN ('', 'null'), \
             if(startsWith({raw}, '['), JSONExtractArrayRaw({raw}), [{raw}]))"
        );
        let Some(shown) = &self.shown else { return elements };
        let hidden: Vec<String> = path.iter().map(|name| shown.hides_name(name)).collect();
        format!("if({}, [], {elements})", hidden.join(" OR "))
    }

    /// Whether an element `e` is hidden; None where everything is shown.
    fn hides(&self, property: &Property) -> Option<String> {
        let shown = self.shown.as_ref()?;
        match property {
            Property::Column(Column::UrlPath) => None,
            Property::Column(column) => Some(shown.hides_text("e", column.is_version())),
            Property::Path(path) => {
                let is_version = path.last().is_some_and(|name| says_version(name));
                Some(shown.hides_json("e", is_version))
            }
        }
    }

    /// The groups of an event whose elements are `looked_at`.
    fn keys(&self, property: &Property, hidden_as: HiddenAs) -> String {
        let text = text(property);
        let key = format!("(toUInt8({TEXT}), substringUTF8({text}, 1, {VALUE_MAX}))");
        let none = format!("[(toUInt8({NOT_SET}), '')]");
        let Some(hides) = self.hides(property) else {
            return format!("if(empty(looked_at), {none}, arrayMap(e -> {key}, looked_at))");
        };
        let keys = format!("arrayMap(e -> if({hides}, (toUInt8({HIDDEN}), ''), {key}), looked_at)");
        match hidden_as {
            HiddenAs::Hidden => format!("if(empty(looked_at), {none}, {keys})"),
            HiddenAs::Nothing => format!(
                "arrayFlatten(arrayMap(keys -> if(empty(keys), {none}, keys), \
                 [arrayFilter(key -> key.1 != {HIDDEN}, {keys})]))"
            ),
        }
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

/// Of how many events, and of how many different ones, where that is wanted.
fn counts(measure: Measure) -> &'static str {
    match measure {
        Measure::Events => "count() AS events, 0 AS who",
        Measure::Persons | Measure::EventsPerPerson => "count() AS events, groupBitmap(person) AS who",
        Measure::Devices => "count() AS events, groupBitmap(device_no) AS who",
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
    fn is_version(self) -> bool {
        matches!(self, Self::Os | Self::BrowserVersion | Self::ClientVersion | Self::SdkVersion)
    }

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
