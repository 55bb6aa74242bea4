//! Builds statements about the events of one app from our own SQL; external input is always bound. The
//! value of a property is a list of elements here: empty if it is missing or null, one element for a
//! plain value, and all elements of a list.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use uuid::Uuid;

use crate::conditions::{Column, Condition, EventChoice, Filter, People, Property, Test};
use crate::over_limit;
use crate::owners::Whose;
use crate::params::Param;
use crate::property_sql::{ReadColumns, column_of};
use crate::rows::put_length;
use crate::shown::{Shown, could_be_id, is_own, says_version};

/// Kinds of groups.
pub(crate) const NOT_SET: u8 = 0;
pub(crate) const TEXT: u8 = 1;
pub(crate) const HIDDEN: u8 = 2;
pub(crate) const REST: u8 = 3;

/// Longer values are cut off; those with the same beginning are grouped together.
pub(crate) const VALUE_MAX: usize = 100;

/// How hidden values are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HiddenAs {
    /// A group of their own.
    Hidden,
    /// As not set.
    Nothing,
}

pub(crate) struct Statement {
    pub sql: String,
    pub params: Vec<(String, Param)>,
    /// The placeholder of the app's id.
    pub app: String,
    /// Set for callers who may not see personal data.
    pub shown: Option<Shown>,
    /// How the person of an event is found.
    pub whose: Whose,
    /// Sets of numbers used by the statement, as entries of its `WITH` clause.
    sets: Vec<String>,
    /// Properties of events that have a column.
    columns: Arc<ReadColumns>,
    /// The JOIN clauses after `events`.
    joins: Vec<String>,
}

impl Statement {
    pub fn of(app: Uuid, hide_personal: bool, whose: Whose) -> Self {
        let mut this = Self {
            sql: String::new(),
            params: Vec::new(),
            app: String::new(),
            shown: None,
            whose,
            sets: Vec::new(),
            columns: Arc::default(),
            joins: Vec::new(),
        };
        this.app = this.bind("UUID", app.into());
        this.shown = hide_personal.then(|| Shown::of(&this.app));
        this
    }

    /// For statements about events: properties with a column in this list are read from it.
    pub fn reading(self, columns: Arc<ReadColumns>) -> Self {
        Self { columns, ..self }
    }

    /// Joins a subquery to the events by one of their numbers, for which it has at most one row each.
    pub fn join(&mut self, rows: &str, number: &str) {
        self.joins
            .push(format!(" ANY LEFT JOIN {rows} AS join_{} USING ({number})", self.joins.len()));
    }

    pub fn joins(&self) -> usize {
        self.joins.len()
    }

    /// The FROM clause.
    pub fn source(&self) -> String {
        format!("events{}", self.joins.concat())
    }

    /// For properties of anything but events: those have no columns.
    pub fn without_columns<T>(&mut self, of: impl FnOnce(&mut Self) -> T) -> T {
        let columns = std::mem::take(&mut self.columns);
        let answer = of(self);
        self.columns = columns;
        answer
    }

    /// Binds a value and returns its placeholder.
    pub fn bind(&mut self, kind: &str, value: Param) -> String {
        let name = format!("p{}", self.params.len());
        let placeholder = format!("{{{name}:{kind}}}");
        self.params.push((name, value));
        placeholder
    }

    /// The whole statement, including its sets.
    pub fn text(&self) -> String {
        if self.sets.is_empty() {
            return self.sql.clone();
        }
        format!("WITH {} {}", self.sets.join(", "), self.sql)
    }

    /// Adds a set of numbers and returns an expression for use after `IN`. Sets are part of the
    /// statement's text, because a URL is too short for them.
    pub fn set(&mut self, people: &People) -> String {
        let name = format!("set_{}", self.sets.len());
        let numbers = match people.is_empty() {
            true => "emptyArrayUInt32()".to_owned(),
            false => format!(
                "bitmapToArray(CAST(base64Decode('{}') AS AggregateFunction(groupBitmap, UInt32)))",
                STANDARD.encode(state_of(people))
            ),
        };
        self.sets.push(format!("{name} AS (SELECT arrayJoin({numbers}) AS no)"));
        format!("(SELECT no FROM {name})")
    }

    /// A condition for events of these people: an event carries a person's number, or that of a device
    /// they own.
    pub fn is_among(&mut self, people: &People) -> String {
        let set = self.set(people);
        match self.whose {
            Whose::AsSent => format!("person_no IN {set}"),
            // One set of both kinds of numbers: each event is looked up once.
            Whose::Owners => format!(
                "person_no IN ({all} UNION ALL SELECT device_no FROM device_owners \
                 WHERE app_id = {} GROUP BY device_no HAVING min(first).2 IN {set})",
                self.app,
                all = set.trim_matches(['(', ')'])
            ),
        }
    }

    /// A condition as SQL.
    pub fn meets(&mut self, condition: &Condition) -> String {
        let (all, word, none) = match condition {
            Condition::Test(filter) => return self.passes(filter),
            Condition::Among(people) => return self.is_among(people),
            Condition::FromDevice(devices) => {
                return format!("device_no IN {}", self.set(devices));
            }
            Condition::Not(other) => return format!("NOT ({})", self.meets(other)),
            Condition::All(all) => (all, " AND ", "1"),
            Condition::Any(all) => (all, " OR ", "0"),
        };
        let parts: Vec<String> = all.iter().map(|part| self.meets(part)).collect();
        if parts.is_empty() { none.to_owned() } else { format!("({})", parts.join(word)) }
    }

    /// Whether an event is one of those chosen.
    pub fn is_chosen(&mut self, choice: &EventChoice) -> String {
        let meets = self.meets(&choice.condition);
        match &choice.names {
            None => meets,
            Some(names) => {
                let names = self.bind("Array(String)", Param::Texts(names.clone()));
                // An event name that is an id does not exist for callers who may not see ids.
                let hidden = match &self.shown {
                    Some(shown) => format!(" AND NOT {}", shown.hides_name("event")),
                    None => String::new(),
                };
                format!("(event IN {names}{hidden} AND {meets})")
            }
        }
    }

    /// The app's events from one Unix time up to another, in milliseconds.
    pub fn between(&mut self, from_ms: i64, to_ms: i64) -> String {
        let [from, to] = [from_ms, to_ms].map(|at| {
            format!("fromUnixTimestamp64Milli({}, 'UTC')", self.bind("Int64", at.into()))
        });
        // The store keeps hours as 32-bit times, which start over in 2106.
        let has_hours =
            [from_ms, to_ms].iter().all(|ms| u32::try_from(ms.div_euclid(1_000)).is_ok());
        let hours = match has_hours {
            true => format!(" AND {}", within_hours(&from, &to)),
            false => String::new(),
        };
        format!("app_id = {} AND time >= {from} AND time < {to}{hours}", self.app)
    }

    pub fn passes(&mut self, filter: &Filter) -> String {
        let elements = self.elements(&filter.property);
        let text = text(&filter.property);
        // Tested last: few elements pass the test before, and this one is expensive.
        let shown = match self.hides(&filter.property) {
            Some(hides) => format!(" AND NOT {hides}"),
            None => String::new(),
        };
        let any = |test: String| format!("arrayExists(e -> ({test}){shown}, {elements})");
        let compared = |sign: &str, bound: String| {
            let number = number("e");
            any(format!("ifNull({number} {sign} {bound} AND isFinite({number}), 0)"))
        };
        let time =
            format!("toUnixTimestamp64Milli(parseDateTime64BestEffortOrNull({text}, 3, 'UTC'))");
        let timed = |sign: &str, bound: String| any(format!("ifNull({time} {sign} {bound}, 0)"));
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
            Test::Since(moment) => timed(">=", self.bind("Int64", (*moment).into())),
            Test::Before(moment) => timed("<", self.bind("Int64", (*moment).into())),
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

    /// A property of an event as it is stored: the text of a field, or the JSON of a path.
    pub fn stored(&mut self, property: &Property) -> String {
        match property {
            Property::Column(column) => column.name().to_owned(),
            Property::Path(path) => column_of(&self.columns, path)
                .unwrap_or_else(|| format!("JSONExtractRaw(properties, {})", self.path(path))),
        }
    }

    /// The names on the way to a property, as arguments.
    fn path(&mut self, path: &[String]) -> String {
        let names: Vec<String> =
            path.iter().map(|part| self.bind("String", part.clone().into())).collect();
        names.join(", ")
    }

    /// An expression for a property's number, called `quick`, and one for whether it has to be read as text:
    /// it is no number, or could be a yes or no. Takes a quarter less time than the text. None if the property
    /// has a column.
    pub fn quick_number(&mut self, path: &[String]) -> Option<(String, String)> {
        if column_of(&self.columns, path).is_some() {
            return None;
        }
        let quick = format!("JSONExtract(properties, {}, 'Nullable(Float64)')", self.path(path));
        let doubtful = "isNull(quick) OR quick IN (0, 1) AND \
             (position(properties, 'true') > 0 OR position(properties, 'false') > 0)";
        Some((quick, doubtful.to_owned()))
    }

    /// The elements of a property: text of a column, JSON of a path. For the page's path this is already
    /// the form that is shown; for everything else, `hides` tells which elements are hidden.
    pub fn elements(&mut self, property: &Property) -> String {
        if let (Property::Column(Column::UrlPath), Some(shown)) = (property, &self.shown) {
            return format!("arrayFilter(e -> e != '', [{}])", shown.path());
        }
        let stored = self.stored(property);
        let elements = elements_of(property, &stored);
        match (property, &self.shown) {
            (Property::Path(path), Some(_)) => {
                let hidden: Vec<String> = path.iter().map(|name| self.hides_name(name)).collect();
                format!("if({}, [], {elements})", hidden.join(" OR "))
            }
            _ => elements,
        }
    }

    fn hides_name(&mut self, name: &str) -> String {
        let could_be_id = could_be_id(name);
        let name = self.bind("String", name.to_owned().into());
        match &self.shown {
            None => "0".to_owned(),
            Some(shown) if could_be_id => shown.hides_name(&name),
            Some(_) => is_own(&name),
        }
    }

    /// Whether an element `e` is hidden; None where everything is shown.
    pub fn hides(&self, property: &Property) -> Option<String> {
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

    /// The elements of a property that are shown.
    pub fn shown_elements(&mut self, property: &Property) -> String {
        let elements = self.elements(property);
        match self.hides(property) {
            Some(hides) => format!("arrayFilter(e -> NOT {hides}, {elements})"),
            None => elements,
        }
    }

    /// The groups of an event with these elements of a property.
    pub fn keys(&self, property: &Property, elements: &str, hidden_as: HiddenAs) -> String {
        let text = text(property);
        let key = format!("(toUInt8({TEXT}), substringUTF8({text}, 1, {VALUE_MAX}))");
        let (none, hidden) =
            (format!("(toUInt8({NOT_SET}), '')"), format!("(toUInt8({HIDDEN}), '')"));
        // An empty text stands for no elements.
        let each = |before: &str, elements: &str| {
            format!(
                "arrayMap(e -> multiIf(e = '', {none}, {before}{key}), emptyArrayToSingle({elements}))"
            )
        };
        match (self.hides(property), hidden_as) {
            (None, _) => each("", elements),
            (Some(hides), HiddenAs::Hidden) => each(&format!("{hides}, {hidden}, "), elements),
            (Some(hides), HiddenAs::Nothing) => {
                each("", &format!("arrayFilter(e -> NOT {hides}, {elements})"))
            }
        }
    }
}

/// The elements of a stored property.
pub(crate) fn elements_of(property: &Property, stored: &str) -> String {
    match property {
        Property::Column(_) => format!("arrayFilter(e -> e != '', [toString({stored})])"),
        Property::Path(_) => format!(
            "arrayFilter(e -> e NOT IN ('', 'null'), \
             if(startsWith({stored}, '['), JSONExtractArrayRaw({stored}), [{stored}]))"
        ),
    }
}

/// A condition for the hours between two times. The table is sorted by the hour before the time, and the store
/// does not derive one from the other: without this, a question about a day reads the whole month.
pub(crate) fn within_hours(from: &str, to: &str) -> String {
    format!(
        "toStartOfHour(time) >= toStartOfHour({from}) AND toStartOfHour(time) <= toStartOfHour({to})"
    )
}

/// An element as a number, even if it was sent as text.
pub(crate) fn number(e: &str) -> String {
    format!("toFloat64OrNull(if(startsWith({e}, '\"'), substring({e}, 2, length({e}) - 2), {e}))")
}

/// A set in the store's serialized form: small ones as a list, others as a roaring bitmap.
fn state_of(people: &People) -> Vec<u8> {
    const SMALL_MAX: u64 = 32;
    let numbers = &*people.0;
    let mut state = Vec::new();
    if numbers.len() <= SMALL_MAX {
        state.push(0);
        state.push(numbers.len() as u8);
        numbers.iter().for_each(|number| state.extend(number.to_le_bytes()));
        return state;
    }
    state.push(1);
    put_length(numbers.serialized_size(), &mut state);
    // Writing to memory does not fail.
    let _ = numbers.serialize_into(&mut state);
    state
}

/// An element `e` as text. Nested objects and lists become a placeholder.
pub(crate) fn text(property: &Property) -> &'static str {
    match property {
        Property::Column(_) => "e",
        Property::Path(_) => {
            "multiIf(startsWith(e, '\"'), JSONExtractString(e), \
             startsWith(e, '{') OR startsWith(e, '['), '{…}', e)"
        }
    }
}

impl Property {
    /// The bit in a row's `over_limit` that is set if its value is over the app's limit.
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

    /// The column, or the expression for it.
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
            Self::ReferringSite => "domainWithoutWWW(JSONExtractString(properties, 'referrer'))",
        }
    }
}
