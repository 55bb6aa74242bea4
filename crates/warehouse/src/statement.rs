//! Statements about the events of one app, put together from our own words; what came from outside goes
//! in as bound values. A property's value is a list of elements here: none where it is missing or null,
//! one for a plain value, each element of a list.

use uuid::Uuid;

use crate::conditions::{Column, Condition, EventChoice, Filter, Property, Test};
use crate::over_limit;
use crate::params::Param;
use crate::shown::{Shown, says_version};

/// What a group is, beside its value.
pub(crate) const NOT_SET: u8 = 0;
pub(crate) const TEXT: u8 = 1;
pub(crate) const HIDDEN: u8 = 2;
pub(crate) const REST: u8 = 3;

/// Longer values are cut, and told apart no further.
const VALUE_MAX: usize = 100;

/// What values that are not shown are counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HiddenAs {
    /// A group of their own.
    Hidden,
    /// As if they were not there.
    Nothing,
}

pub(crate) struct Statement {
    pub sql: String,
    pub params: Vec<(String, Param)>,
    /// The placeholder of the app's id.
    pub app: String,
    /// For those who are not shown everything.
    pub shown: Option<Shown>,
}

impl Statement {
    pub fn of(app: Uuid, hide_personal: bool) -> Self {
        let mut this =
            Self { sql: String::new(), params: Vec::new(), app: String::new(), shown: None };
        this.app = this.bind("UUID", app.into());
        this.shown = hide_personal.then(|| Shown::of(&this.app));
        this
    }

    /// Binds a value and gives the placeholder that stands for it.
    pub fn bind(&mut self, kind: &str, value: Param) -> String {
        let name = format!("p{}", self.params.len());
        let placeholder = format!("{{{name}:{kind}}}");
        self.params.push((name, value));
        placeholder
    }

    /// Whether an event meets a condition.
    pub fn meets(&mut self, condition: &Condition) -> String {
        let (all, word, none) = match condition {
            Condition::Test(filter) => return self.passes(filter),
            Condition::All(all) => (all, " AND ", "1"),
            Condition::Any(all) => (all, " OR ", "0"),
        };
        let parts: Vec<String> = all.iter().map(|part| self.meets(part)).collect();
        if parts.is_empty() { none.to_owned() } else { format!("({})", parts.join(word)) }
    }

    /// Whether an event is one of those that were chosen.
    pub fn is_chosen(&mut self, choice: &EventChoice) -> String {
        let meets = self.meets(&choice.condition);
        match &choice.names {
            None => meets,
            Some(names) => {
                let names = self.bind("Array(String)", Param::Texts(names.clone()));
                format!("(event IN {names} AND {meets})")
            }
        }
    }

    /// The app's events from one Unix time up to another, in milliseconds.
    pub fn between(&mut self, from_ms: i64, to_ms: i64) -> String {
        let (from, to) = (self.bind("Int64", from_ms.into()), self.bind("Int64", to_ms.into()));
        format!(
            "app_id = {} AND time >= fromUnixTimestamp64Milli({from}, 'UTC') \
             AND time < fromUnixTimestamp64Milli({to}, 'UTC')",
            self.app
        )
    }

    pub fn passes(&mut self, filter: &Filter) -> String {
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
    pub fn elements(&mut self, property: &Property) -> String {
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

    /// The groups of an event whose elements are `looked_at`.
    pub fn keys(&self, property: &Property, hidden_as: HiddenAs) -> String {
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
}

/// An element `e` as text. What is neither plain nor a list has none of its own.
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
