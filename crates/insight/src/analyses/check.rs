//! Validates questions. All faults are reported at once.

use std::collections::HashMap;

use warehouse::{Condition, EventChoice, Filter, GroupBy, Kind, People, Property};

use super::body::{EventBody, FilterNode, FilterTest, Filters};
use crate::workspace::{Operator, event_fault, filter, property, settle};
use atrium_core::error::{Code, Fault, Result};
use atrium_core::types::Id;

const TESTS_MAX: usize = 30;
const LEVELS_MAX: usize = 4;
const NAMES_MAX: usize = 20;
const NAME_MAX: usize = 128;
const BREAKDOWN_MAX: usize = 2;
/// The limit of all names and values together, in bytes: they are sent in a URL.
const TEXT_MAX: usize = 4_000;

/// What has to be looked up before a question can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lookup {
    Cohort(Id),
    /// The serialized test, used as the key of its result.
    Profile(String),
}

/// The prefix of a cohort's id in place of a property.
pub const COHORT: &str = "$cohort:";

/// The filter of each profile lookup.
pub type Profiles = HashMap<Lookup, (Kind, Filter)>;

/// Checks a question in two passes: the first collects what has to be looked up, and the second uses
/// what was found.
pub struct Check<'a> {
    pub pii: bool,
    /// Whether the caller may see profiles.
    pub profiles: bool,
    pub found: &'a HashMap<Lookup, Condition>,
    pub wanted: Vec<Lookup>,
    pub wanted_profiles: Profiles,
    pub faults: Vec<Fault>,
    /// The event properties that the question is about.
    pub properties: Vec<Property>,
    /// The fields that name the cohorts it is broken down by.
    pub cohorts_in: HashMap<Id, String>,
    /// Whether it is about profiles.
    pub reads_profiles: bool,
    tests: usize,
    bytes: usize,
}

impl<'a> Check<'a> {
    pub fn new(pii: bool, profiles: bool, found: &'a HashMap<Lookup, Condition>) -> Self {
        Self {
            pii,
            profiles,
            found,
            wanted: Vec::new(),
            wanted_profiles: Profiles::new(),
            faults: Vec::new(),
            properties: Vec::new(),
            cohorts_in: HashMap::new(),
            reads_profiles: false,
            tests: 0,
            bytes: 0,
        }
    }

    pub fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    pub fn between(&mut self, field: &str, number: i64, min: i64, max: i64) {
        if !(min..=max).contains(&number) {
            self.fault(
                Fault::new(Code::OutOfRange).on(field.to_owned()).with("min", min).with("max", max),
            );
        }
    }

    pub fn count(&mut self, field: &str, count: usize, min: usize, max: usize) {
        if !(min..=max).contains(&count) {
            self.fault(
                Fault::new(Code::BadLength).on(field.to_owned()).with("min", min).with("max", max),
            );
        }
    }

    /// Fails with all faults, if there are any.
    pub fn finish(&mut self) -> Result<()> {
        if self.tests > TESTS_MAX {
            let fault = Fault::new(Code::BadLength).on("filters");
            self.fault(fault.with("min", 0).with("max", TESTS_MAX));
        }
        if self.bytes > TEXT_MAX {
            self.fault(Fault::new(Code::TooLong).on("filters").with("max", TEXT_MAX));
        }
        settle(std::mem::take(&mut self.faults))
    }

    pub fn property(&mut self, name: &str, field: &str) -> Property {
        self.bytes += name.len();
        match property(name, self.pii, field.to_owned()) {
            Ok(property) => {
                self.properties.push(property.clone());
                property
            }
            Err(fault) => {
                self.fault(fault);
                Property::Path(Vec::new())
            }
        }
    }

    pub fn breakdown(&mut self, names: &[String]) -> Vec<GroupBy> {
        self.count("breakdown", names.len(), 0, BREAKDOWN_MAX);
        let names = names.iter().take(BREAKDOWN_MAX).enumerate();
        let group_by = |(index, name): (usize, &String)| {
            let field = format!("breakdown[{index}]");
            self.group_by(name, &field).unwrap_or_else(|fault| {
                self.fault(fault);
                GroupBy::Event(Property::Path(Vec::new()))
            })
        };
        names.map(group_by).collect()
    }

    fn group_by(&mut self, name: &str, field: &str) -> Result<GroupBy, Fault> {
        if let Some(id) = name.strip_prefix(COHORT) {
            let id = Id::parse(id)
                .ok_or_else(|| Fault::new(Code::UnknownCohort).on(field.to_owned()))?;
            self.cohorts_in.entry(id.clone()).or_insert_with(|| field.to_owned());
            let people = match self.look_up(Lookup::Cohort(id), None) {
                Condition::Among(people) => people,
                _ => People::default(),
            };
            return Ok(GroupBy::Cohort(people));
        }
        let Some((kind, name)) = of_profile(name) else {
            return Ok(GroupBy::Event(self.property(name, field)));
        };
        self.bytes += name.len();
        match self.profile_property(name, field)? {
            Property::Path(path) => Ok(GroupBy::Profile(kind, path)),
            Property::Column(_) => Err(Fault::new(Code::UnknownProperty).on(field.to_owned())),
        }
    }

    pub fn event(&mut self, body: &EventBody, field: &str) -> EventChoice {
        let names_field = format!("{field}.events");
        self.count(&names_field, body.events.len(), 0, NAMES_MAX);
        for name in body.events.iter().take(NAMES_MAX) {
            self.bytes += name.len();
            if name.is_empty() {
                self.fault(Fault::new(Code::Required).on(names_field.clone()));
            }
            if name.chars().count() > NAME_MAX {
                let fault = Fault::new(Code::TooLong).on(names_field.clone());
                self.fault(fault.with("max", NAME_MAX));
            }
            if let Some(fault) = event_fault(name, self.pii) {
                self.fault(fault.on(names_field.clone()));
            }
        }
        EventChoice {
            names: (!body.events.is_empty()).then(|| body.events.clone()),
            condition: self.filters(body.filters.as_ref(), &format!("{field}.filters")),
        }
    }

    pub fn filters(&mut self, filters: Option<&Filters>, field: &str) -> Condition {
        filters.map_or_else(Condition::default, |filters| self.group(filters, field, 1))
    }

    fn group(&mut self, filters: &Filters, field: &str, level: usize) -> Condition {
        let (Filters::All(nodes) | Filters::Any(nodes)) = filters;
        if level > LEVELS_MAX || nodes.len() > TESTS_MAX {
            let fault = Fault::new(Code::BadLength).on(field.to_owned());
            self.fault(fault.with("min", 0).with("max", TESTS_MAX));
            return Condition::default();
        }
        let parts = nodes.iter().enumerate().map(|(index, node)| {
            let field = format!("{field}[{index}]");
            match node {
                FilterNode::Group(group) => self.group(group, &field, level + 1),
                FilterNode::Test(test) => self.test(test, &field).unwrap_or_else(|fault| {
                    self.fault(fault);
                    Condition::default()
                }),
            }
        });
        let parts = parts.collect();
        match filters {
            Filters::All(_) => Condition::All(parts),
            Filters::Any(_) => Condition::Any(parts),
        }
    }

    pub fn test(&mut self, test: &FilterTest, field: &str) -> Result<Condition, Fault> {
        self.tests += 1;
        self.bytes += test.property.len() + test.values.iter().map(String::len).sum::<usize>();
        if let Some(id) = test.property.strip_prefix(COHORT) {
            return self.cohort(id, test, field);
        }
        let Some((kind, name)) = of_profile(&test.property) else {
            let property = property(&test.property, self.pii, format!("{field}.property"))?;
            self.properties.push(property.clone());
            let filter = filter(property, test.operator, &test.values, field)?;
            return Ok(Condition::Test(filter));
        };
        let filter = self.profile_filter(name, test, field)?;
        let key = serde_json::to_string(test).unwrap_or_default();
        Ok(self.look_up(Lookup::Profile(key), Some((kind, filter))))
    }

    /// A test of a profile, for callers who may see profiles.
    pub fn profile_filter(
        &mut self,
        name: &str,
        test: &FilterTest,
        field: &str,
    ) -> Result<Filter, Fault> {
        let property = self.profile_property(name, &format!("{field}.property"))?;
        filter(property, test.operator, &test.values, field)
    }

    fn profile_property(&mut self, name: &str, field: &str) -> Result<Property, Fault> {
        self.reads_profiles = true;
        if !self.profiles {
            return Err(Fault::new(Code::PersonalData).on(field.to_owned()));
        }
        if name.starts_with('$') {
            return Err(Fault::new(Code::UnknownProperty).on(field.to_owned()));
        }
        property(name, self.pii, field.to_owned())
    }

    fn cohort(&mut self, id: &str, test: &FilterTest, field: &str) -> Result<Condition, Fault> {
        let negated = match test.operator {
            Operator::Is => false,
            Operator::IsNot => true,
            _ => return Err(Fault::new(Code::WrongType).on(format!("{field}.operator"))),
        };
        let unknown = || Fault::new(Code::UnknownCohort).on(format!("{field}.property"));
        let id = Id::parse(id).ok_or_else(unknown)?;
        let among = self.look_up(Lookup::Cohort(id), None);
        Ok(if negated { Condition::Not(Box::new(among)) } else { among })
    }

    fn look_up(&mut self, lookup: Lookup, profile: Option<(Kind, Filter)>) -> Condition {
        if let Some(condition) = self.found.get(&lookup) {
            return condition.clone();
        }
        if let Some(profile) = profile {
            self.wanted_profiles.insert(lookup.clone(), profile);
        }
        if !self.wanted.contains(&lookup) {
            self.wanted.push(lookup);
        }
        Condition::default()
    }
}

/// The kind of profile a property belongs to, and its name there.
pub fn of_profile(name: &str) -> Option<(Kind, &str)> {
    let user = name.strip_prefix("$user:").map(|name| (Kind::User, name));
    user.or_else(|| name.strip_prefix("$device:").map(|name| (Kind::Device, name)))
}
