//! A question that a person composed, validated and converted for the warehouse.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;
use warehouse::{Column, ExploreQuery, Filter, Measure, Property, Test};

use crate::insight::dates::{Dates, seconds};
use crate::insight::elapsed::counted_until;
use crate::insight::range::Granularity;
use atrium_collect::personal;
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::types::Millis;

const FILTERS_MAX: usize = 10;
const VALUES_MAX: usize = 50;
const EVENT_MAX: usize = 128;
const NAME_MAX: usize = 256;
const LEVELS_MAX: usize = 8;
/// The limit of all names and values together, in bytes: they are sent in a URL.
const TEXT_MAX: usize = 4_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExploreMeasure {
    #[default]
    Events,
    /// Distinct people: an event without a user belongs to the first user who was signed in on the
    /// device, or else to the device.
    Users,
    Devices,
    /// Events per person.
    PerUser,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    Is,
    IsNot,
    Contains,
    NotContains,
    Gt,
    Gte,
    Lt,
    Lte,
    /// At a moment or later: a date or a time, in UTC if it names no zone.
    Since,
    /// Earlier than a moment.
    Before,
    Set,
    NotSet,
}

/// A value in a filter. What was sent as a number, as yes/no, or as text is compared alike.
#[derive(Deserialize, ToSchema)]
#[serde(untagged)]
pub enum FilterValue {
    Text(String),
    Number(f64),
    YesNo(bool),
}

/// Reads a list of `FilterValue` as text.
pub fn filter_values<'de, D: Deserializer<'de>>(list: D) -> Result<Vec<String>, D::Error> {
    let text = |value| match value {
        FilterValue::Text(text) => text,
        FilterValue::Number(number) => number.to_string(),
        FilterValue::YesNo(yes) => yes.to_string(),
    };
    Ok(Vec::deserialize(list)?.into_iter().map(text).collect())
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct ExploreFilter {
    property: String,
    operator: Operator,
    /// One match is enough; a comparison takes one value; `set` and `not_set` take none.
    #[serde(default, deserialize_with = "filter_values")]
    #[schema(value_type = Vec<FilterValue>)]
    values: Vec<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct ExploreBody {
    /// Null for any.
    pub event: Option<String>,
    #[serde(default)]
    pub measure: ExploreMeasure,
    /// All of them must hold. For a list, one matching element is enough. A value that is hidden from
    /// the caller is treated as absent: no filter matches it, and `not_set` holds.
    #[serde(default)]
    filters: Vec<ExploreFilter>,
    /// A property: one of `$os`, `$browser`, `$browser_version`, `$device_type`, `$language`,
    /// `$url_path`, `$client_version`, `$sdk_version`, `$source`, `$user_id`, `$device_id`,
    /// `$referring_site` (of the `referrer`), or a name in the events' properties, where a dot goes one
    /// level deeper.
    pub group_by: Option<String>,
    /// A date in the time zone, included.
    #[schema(example = "2026-11-01")]
    start: String,
    /// A date in the time zone, included; it may lie ahead.
    end: String,
    #[serde(default)]
    pub granularity: Granularity,
    /// IANA name; the app's unless given.
    timezone: Option<String>,
}

/// A valid question, and the dates it is about.
pub struct Ready {
    pub query: ExploreQuery,
    /// The start of every bucket, including those that lie ahead; the question covers only the others.
    pub times: Vec<Millis>,
    /// The start of the bucket that is not over.
    pub partial: Option<Millis>,
    pub dates: Dates,
}

impl ExploreBody {
    pub fn ready(&self, app: Uuid, app_zone: &str, pii: bool, now: Millis) -> Result<Ready> {
        let zone = self.timezone.as_deref().unwrap_or(app_zone);
        let dates = Dates::read(&self.start, &self.end, zone)?;
        let mut times = dates.cuts(self.granularity)?;
        times.pop();
        let begun = times.partition_point(|time| *time <= now);
        let partial = times[..begun].last().copied().filter(|_| now < dates.range.to);
        let mut faults = Vec::new();
        if self.filters.len() > FILTERS_MAX {
            let fault = Fault::new(Code::BadLength).on("filters");
            faults.push(fault.with("min", 0).with("max", FILTERS_MAX));
        }
        if self.event.as_ref().is_some_and(|event| event.chars().count() > EVENT_MAX) {
            faults.push(Fault::new(Code::TooLong).on("event").with("max", EVENT_MAX));
        }
        faults.extend(self.event.as_deref().and_then(|event| event_fault(event, pii)));
        let group_by = self.group_by.as_deref().map(|name| {
            property(name, pii, "group_by".to_owned()).map_err(|fault| faults.push(fault))
        });
        let checked = self.filters.iter().enumerate().filter_map(|(index, filter)| {
            filter.check(index, pii).map_err(|fault| faults.push(fault)).ok()
        });
        let filters: Vec<Filter> = checked.collect();
        let texts = self.filters.iter().flat_map(|it| it.values.iter().chain([&it.property]));
        if texts.map(String::len).sum::<usize>() > TEXT_MAX {
            faults.push(Fault::new(Code::TooLong).on("filters").with("max", TEXT_MAX));
        }
        settle(faults)?;
        let query = ExploreQuery {
            app,
            event: self.event.clone().filter(|event| !event.is_empty()),
            measure: self.measure.into(),
            filters,
            group_by: group_by.and_then(Result::ok),
            starts: times[..begun].iter().copied().map(seconds).collect(),
            end: seconds(counted_until(&dates.range, now)),
            hide_personal: !pii,
        };
        Ok(Ready { query, times, partial, dates })
    }
}

/// Fails if there are faults. A fault about personal data is a matter of permission, and comes before
/// faults in what the caller typed.
pub fn settle(faults: Vec<Fault>) -> Result<()> {
    match faults.iter().position(|fault| fault.code == Code::PersonalData) {
        Some(index) => Err(faults[index].clone().into()),
        None if faults.is_empty() => Ok(()),
        None => Err(Error::invalid(faults)),
    }
}

impl ExploreFilter {
    fn check(&self, index: usize, pii: bool) -> Result<Filter, Fault> {
        let field = format!("filters[{index}]");
        let property = property(&self.property, pii, format!("{field}.property"))?;
        filter(property, self.operator, &self.values, &field)
    }
}

/// A test of a property, if its values make sense for the operator.
pub fn filter(
    property: Property,
    operator: Operator,
    values: &[String],
    field: &str,
) -> Result<Filter, Fault> {
    let values_field = || format!("{field}.values");
    let count = |min: usize, max: usize| {
        let fault = Fault::new(Code::BadLength).on(values_field());
        let fits = (min..=max).contains(&values.len());
        if fits { Ok(()) } else { Err(fault.with("min", min).with("max", max)) }
    };
    let number = || {
        count(1, 1)?;
        if matches!(property, Property::Column(_)) {
            return Err(Fault::new(Code::WrongType).on(format!("{field}.operator")));
        }
        let number = values[0].trim().parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| Fault::new(Code::WrongType).on(values_field()))
    };
    let moment = || {
        count(1, 1)?;
        if matches!(property, Property::Column(_)) {
            return Err(Fault::new(Code::WrongType).on(format!("{field}.operator")));
        }
        moment_of(values[0].trim()).ok_or_else(|| Fault::new(Code::WrongType).on(values_field()))
    };
    let test = match operator {
        Operator::Is | Operator::IsNot => {
            count(1, VALUES_MAX)?;
            Test::Is(values.to_vec())
        }
        Operator::Contains | Operator::NotContains => {
            count(1, VALUES_MAX)?;
            if values.iter().any(String::is_empty) {
                return Err(Fault::new(Code::Required).on(values_field()));
            }
            Test::Contains(values.to_vec())
        }
        Operator::Gt => Test::Above(number()?),
        Operator::Gte => Test::AtLeast(number()?),
        Operator::Lt => Test::Below(number()?),
        Operator::Lte => Test::AtMost(number()?),
        Operator::Since => Test::Since(moment()?),
        Operator::Before => Test::Before(moment()?),
        Operator::Set | Operator::NotSet => {
            count(0, 0)?;
            Test::Set
        }
    };
    let negated = matches!(operator, Operator::IsNot | Operator::NotContains | Operator::NotSet);
    Ok(Filter { property, test, negated })
}

/// In milliseconds; None if it is neither a date nor a time.
fn moment_of(text: &str) -> Option<i64> {
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(moment.as_millisecond());
    }
    let time = text.parse::<jiff::civil::DateTime>().ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

/// An event whose name looks personal is hidden, and cannot be queried by that name: that would reveal
/// whether it exists.
pub fn event_fault(event: &str, pii: bool) -> Option<Fault> {
    let is_hidden = !pii && personal::looks_personal(event);
    is_hidden.then(|| Fault::new(Code::PersonalData).on("event"))
}

/// The property that a name stands for. A name with `$` is a field that every event has.
pub fn property(name: &str, pii: bool, field: String) -> Result<Property, Fault> {
    if name.is_empty() {
        return Err(Fault::new(Code::Required).on(field));
    }
    if name.chars().count() > NAME_MAX {
        return Err(Fault::new(Code::TooLong).on(field).with("max", NAME_MAX));
    }
    if let Some((_, column)) = COLUMNS.iter().find(|(known, _)| *known == name) {
        return if pii || !matches!(column, Column::UserId | Column::DeviceId) {
            Ok(Property::Column(*column))
        } else {
            Err(Fault::new(Code::PersonalData).on(field))
        };
    }
    if name.starts_with('$') {
        return Err(Fault::new(Code::UnknownProperty).on(field));
    }
    let path: Vec<String> = name.split('.').map(str::to_owned).collect();
    if path.len() > LEVELS_MAX {
        return Err(Fault::new(Code::UnknownProperty).on(field));
    }
    if !pii && personal::is_personal_path(&path) {
        return Err(Fault::new(Code::PersonalData).on(field));
    }
    Ok(Property::Path(path))
}

const COLUMNS: &[(&str, Column)] = &[
    ("$os", Column::Os),
    ("$browser", Column::Browser),
    ("$browser_version", Column::BrowserVersion),
    ("$device_type", Column::DeviceType),
    ("$language", Column::Language),
    ("$url_path", Column::UrlPath),
    ("$client_version", Column::ClientVersion),
    ("$sdk_version", Column::SdkVersion),
    ("$source", Column::Source),
    ("$user_id", Column::UserId),
    ("$device_id", Column::DeviceId),
    ("$referring_site", Column::ReferringSite),
];

impl From<ExploreMeasure> for Measure {
    fn from(measure: ExploreMeasure) -> Self {
        match measure {
            ExploreMeasure::Events => Self::Events,
            ExploreMeasure::Users => Self::Persons,
            ExploreMeasure::Devices => Self::Devices,
            ExploreMeasure::PerUser => Self::EventsPerPerson,
        }
    }
}
