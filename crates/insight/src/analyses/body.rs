//! The questions of the API.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::insight::overall::Compare;
use crate::workspace::{FilterValue, Operator, filter_values};

/// One of six kinds of question. Dates are in the time zone, both included, and may lie ahead.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Question {
    Trend(TrendBody),
    Funnel(FunnelBody),
    Retention(RetentionBody),
    Paths(PathsBody),
    Distribution(DistributionBody),
    Lifecycle(LifecycleBody),
}

/// The days and events that a question is about.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Common {
    #[schema(example = "2026-11-01")]
    pub start: String,
    #[schema(example = "2026-11-14")]
    pub end: String,
    /// IANA name; the app's unless given.
    pub timezone: Option<String>,
    /// Only events that meet these are considered.
    pub filters: Option<Filters>,
}

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Filters {
    /// All of them must hold.
    All(Vec<FilterNode>),
    /// One of them is enough.
    Any(Vec<FilterNode>),
}

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(untagged)]
pub enum FilterNode {
    #[schema(no_recursion)]
    Group(Filters),
    Test(FilterTest),
}

/// For a list, one matching element is enough. A value that is hidden from the caller is treated as
/// absent: no test matches it, and `not_set` holds.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct FilterTest {
    /// A field (`$os`), a property of the event (`amount`, `cart.total`), of the user's profile
    /// (`$user:plan`) or the device's (`$device:model`), or a cohort (`$cohort:ID`, with `is` or `is_not`
    /// and no values).
    pub property: String,
    pub operator: Operator,
    /// One match is enough; a comparison takes one value; `set`, `not_set` and cohorts take none.
    #[serde(default, deserialize_with = "filter_values")]
    #[schema(value_type = Vec<FilterValue>)]
    pub values: Vec<String>,
}

/// Events that count as one kind.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
pub struct EventBody {
    /// Any of these names; any event, if there are none.
    #[serde(default)]
    pub events: Vec<String>,
    pub filters: Option<Filters>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TimeBucket)]
pub enum Bucket {
    /// For at most two days.
    Minute,
    Hour,
    #[default]
    Day,
    /// From Monday.
    Week,
    Month,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeasureOf {
    Events,
    People,
    Devices,
    Sessions,
    /// Events per person.
    PerPerson,
    Sum,
    Average,
    Median,
    P90,
    P95,
    P99,
    Min,
    Max,
    /// Distinct values of a property.
    Distinct,
}

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct MeasureBody {
    pub of: MeasureOf,
    /// The property that is summed, averaged or counted; for the last nine only.
    pub property: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct SeriesBody {
    #[serde(flatten)]
    pub event: EventBody,
    pub measure: MeasureBody,
}

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct TrendBody {
    #[serde(flatten)]
    pub common: Common,
    /// One to six.
    pub series: Vec<SeriesBody>,
    /// With the series as letters, in order: `A / B * 100`.
    pub formula: Option<String>,
    #[serde(default)]
    pub granularity: Bucket,
    /// Fields or properties of the events, at most two.
    #[serde(default)]
    pub breakdown: Vec<String>,
    pub compare: Option<Compare>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Anything may happen between two steps.
    #[default]
    Loose,
    /// None of the funnel's events may happen between two steps.
    Strict,
}

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct FunnelBody {
    #[serde(flatten)]
    pub common: Common,
    /// Two to ten.
    pub steps: Vec<EventBody>,
    /// How long an attempt may take from its first step, up to 90 days.
    pub window_minutes: i64,
    #[serde(default)]
    pub order: Order,
    /// People who did one of these are not counted.
    pub exclude: Option<EventBody>,
    /// The buckets of the conversion over time.
    #[serde(default)]
    pub granularity: Bucket,
    #[serde(default)]
    pub breakdown: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    #[default]
    Day,
    /// From Monday.
    Week,
    Month,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    #[default]
    Exactly,
    OnOrAfter,
}

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct RetentionBody {
    #[serde(flatten)]
    pub common: Common,
    pub first: EventBody,
    /// Whether only the first time ever counts.
    #[serde(default)]
    pub first_ever: bool,
    pub returning: EventBody,
    /// The dates are widened to whole ones of these.
    pub unit: Unit,
    /// How many units after its own a cohort is followed for, up to 90.
    pub units: usize,
    #[serde(default)]
    pub mode: Mode,
    #[serde(default)]
    pub breakdown: Vec<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct PathsBody {
    #[serde(flatten)]
    pub common: Common,
    /// What paths begin with; either this or `to`.
    pub from: Option<EventBody>,
    /// What paths end with.
    pub to: Option<EventBody>,
    /// Which events are steps; all, unless given.
    pub events: Option<EventBody>,
    /// One to eight.
    pub steps: usize,
    /// How long a path may take; for as long as a session lasts, unless given.
    pub window_minutes: Option<i64>,
    /// How many different steps are listed at each place, up to 20.
    #[serde(default = "branches")]
    #[schema(default = 5)]
    pub branches: usize,
}

fn branches() -> usize {
    5
}

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(untagged)]
pub enum QuantityBody {
    Counted(CountedQuantity),
    /// A number that the events carry.
    Property {
        property: String,
    },
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CountedQuantity {
    /// Events of each person.
    Times,
    /// Distinct days of each person.
    Days,
}

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct DistributionBody {
    #[serde(flatten)]
    pub common: Common,
    pub event: EventBody,
    pub of: QuantityBody,
    /// Where ranges begin, in ascending order; chosen by the data unless given.
    pub edges: Option<Vec<f64>>,
}

#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct LifecycleBody {
    #[serde(flatten)]
    pub common: Common,
    /// Any, unless given.
    pub event: Option<EventBody>,
    /// The dates are widened to whole ones of these.
    #[serde(default)]
    pub granularity: Unit,
}

impl Question {
    pub fn common(&self) -> &Common {
        match self {
            Self::Trend(it) => &it.common,
            Self::Funnel(it) => &it.common,
            Self::Retention(it) => &it.common,
            Self::Paths(it) => &it.common,
            Self::Distribution(it) => &it.common,
            Self::Lifecycle(it) => &it.common,
        }
    }

    /// The properties that the figures are broken down by.
    pub fn breakdown(&self) -> &[String] {
        match self {
            Self::Trend(it) => &it.breakdown,
            Self::Funnel(it) => &it.breakdown,
            Self::Retention(it) => &it.breakdown,
            Self::Paths(_) | Self::Distribution(_) | Self::Lifecycle(_) => &[],
        }
    }

    /// Its name in the API.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Trend(_) => "trend",
            Self::Funnel(_) => "funnel",
            Self::Retention(_) => "retention",
            Self::Paths(_) => "paths",
            Self::Distribution(_) => "distribution",
            Self::Lifecycle(_) => "lifecycle",
        }
    }
}
