//! The members of a cohort from the caller's point of view: data hidden from them does not count.

use jiff::ToSpan;
use serde::Deserialize;
use warehouse::People;

use super::asker::Asker;
use super::body::{
    Common, CountedQuantity, DistributionBody, EventBody, FilterTest, QuantityBody, Question,
};
use super::check::{COHORT, Check, Lookup, of_profile};
use super::people::Pick;
use crate::insight::errors::warehouse_error;
use crate::saved::store;
use atrium_core::error::{Code, Error, Fault, Result};
use atrium_core::types::Id;
use warehouse::shown::PEOPLE_MIN;

const TIMES_MAX: i64 = 1_000;
const DAYS_MAX: i64 = 365;
const RULES_MAX: usize = 10;
/// An answer that depends on more cohorts is not cached.
const COHORTS_MAX: usize = 20;
/// How a definition's text refers to another cohort, and to profiles. A value may contain the same text:
/// then one cohort too many is considered, or the answer is not cached.
const COHORT_IN_TEXT: &str = "\"$cohort:";
const PROFILES: [&str; 2] = ["\"$user:", "\"$device:"];

/// The form in which `saved` stores it.
#[derive(Debug, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Definition {
    Ids { ids: Vec<String> },
    Figure { question: Box<Question>, pick: Pick },
    Rule(Rules),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    All(Vec<Rule>),
    Any(Vec<Rule>),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Rule {
    Profile(FilterTest),
    Did {
        event: EventBody,
        #[serde(default)]
        not: bool,
        /// At least this often.
        times: i64,
        /// Within this many days up to and including today.
        days: i64,
    },
}

/// Cohorts, each with its version.
pub struct CohortVersions {
    pub versions: Vec<(Id, i64)>,
    /// Whether one of them depends on profiles.
    pub reads_profiles: bool,
}

pub fn unknown(field: &str) -> Error {
    Error::invalid(vec![Fault::new(Code::UnknownCohort).on(field.to_owned())])
}

impl Asker<'_> {
    /// The people of a cohort given in the URL.
    pub async fn cohort_or_not_found(&self, id: &Id) -> Result<People> {
        if self.cohort_row(id).await?.is_none() {
            return Err(Code::NotFound.into());
        }
        self.cohort(id, 0, "filters").await
    }

    /// The names of the cohorts in a breakdown, by place.
    pub async fn cohort_names(&self, breakdown: &[String]) -> Result<Vec<Option<String>>> {
        let mut names = Vec::new();
        for property in breakdown {
            let id = property.strip_prefix(COHORT).and_then(Id::parse);
            let row = match id {
                Some(id) => self.cohort_row(&id).await?,
                None => None,
            };
            names.push(row.map(|row| row.name));
        }
        Ok(names)
    }

    async fn cohort_row(&self, id: &Id) -> Result<Option<store::CohortRow>> {
        let mut db = self.atrium.db.read().await?;
        store::visible_cohort(&mut db, self.app_id, id, self.user_id).await
    }

    /// The cohorts that these depend on, including themselves. None if one of them cannot be used.
    pub async fn cohort_versions(&self, wanted: &[Lookup]) -> Result<Option<CohortVersions>> {
        let id_of = |lookup: &Lookup| match lookup {
            Lookup::Cohort(id) => Some(id.clone()),
            Lookup::Profile(_) => None,
        };
        let mut wanted: Vec<Id> = wanted.iter().filter_map(id_of).collect();
        let (mut found, mut reads_profiles) = (Vec::<(Id, i64)>::new(), false);
        while let Some(id) = wanted.pop() {
            if found.iter().any(|(known, _)| *known == id) {
                continue;
            }
            let Some(row) = self.cohort_row(&id).await? else { return Ok(None) };
            if found.len() >= COHORTS_MAX {
                return Ok(None);
            }
            reads_profiles |= PROFILES.iter().any(|name| row.definition.contains(name));
            wanted.extend(row.definition.split(COHORT_IN_TEXT).skip(1).filter_map(|text| {
                let end = text.find('"').unwrap_or(text.len());
                Id::parse(&text[..end])
            }));
            found.push((id, row.version));
        }
        found.sort();
        Ok(Some(CohortVersions { versions: found, reads_profiles }))
    }

    /// The people of a cohort that the caller may use, referred to by a field of a question.
    pub async fn cohort(&self, id: &Id, depth: usize, field: &str) -> Result<People> {
        let row = self.cohort_row(id).await?.ok_or_else(|| unknown(field))?;
        // A definition stored by an older release may no longer be readable.
        let definition: Definition =
            serde_json::from_str(&row.definition).map_err(|_| unknown(field))?;
        self.members(&definition, depth).await
    }

    pub async fn members(&self, definition: &Definition, depth: usize) -> Result<People> {
        match definition {
            Definition::Ids { ids } => {
                let people =
                    self.store.people_named(self.app, ids).await.map_err(warehouse_error)?;
                // The ids were chosen by a person. Figures about a few of them would reveal whose they
                // are.
                if !self.pii && people.count() < PEOPLE_MIN {
                    return Err(Fault::new(Code::PersonalData).into());
                }
                Ok(people)
            }
            Definition::Figure { question, pick } => {
                let prepared = Box::pin(self.prepare(question, depth)).await?;
                self.behind(&prepared, pick).await
            }
            Definition::Rule(Rules::All(rules)) => {
                let sets = self.each(rules, depth).await?;
                let mut sets = sets.into_iter();
                let first = sets.next().unwrap_or_default();
                Ok(sets.fold(first, |all, one| all.and(&one)))
            }
            Definition::Rule(Rules::Any(rules)) => {
                let sets = self.each(rules, depth).await?;
                Ok(sets.iter().fold(People::default(), |all, one| all.or(one)))
            }
        }
    }

    async fn each(&self, rules: &[Rule], depth: usize) -> Result<Vec<People>> {
        if rules.is_empty() || rules.len() > RULES_MAX {
            let fault = Fault::new(Code::BadLength).on("definition");
            return Err(Error::invalid(vec![fault.with("min", 1).with("max", RULES_MAX)]));
        }
        let mut sets = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            sets.push(self.rule(rule, &format!("rules[{index}]"), depth).await?);
        }
        Ok(sets)
    }

    async fn rule(&self, rule: &Rule, field: &str, depth: usize) -> Result<People> {
        let found = std::collections::HashMap::new();
        let mut check = Check::new(self.pii, self.profiles, &found);
        match rule {
            Rule::Profile(test) => {
                self.note_profiles();
                let Some((kind, name)) = of_profile(&test.property) else {
                    let fault = Fault::new(Code::UnknownProperty).on(format!("{field}.property"));
                    return Err(Error::invalid(vec![fault]));
                };
                let filter = check.profile_filter(name, test, field);
                let filter = filter.map_err(|fault| check.fault(fault));
                check.finish()?;
                let Ok(filter) = filter else { return Ok(People::default()) };
                let people = self.store.people_with(&self.scope(), kind, &filter).await;
                people.map_err(warehouse_error)
            }
            Rule::Did { event, not, times, days } => {
                check.between(&format!("{field}.times"), *times, 1, TIMES_MAX);
                check.between(&format!("{field}.days"), *days, 1, DAYS_MAX);
                check.finish()?;
                let did = self.did(event, *times, *days, depth).await?;
                if !not {
                    return Ok(did);
                }
                let everyone = self.store.everyone(self.app).await.map_err(warehouse_error)?;
                Ok(everyone.without(&did))
            }
        }
    }

    /// The people in the only bin of a distribution that starts at this many times.
    async fn did(&self, event: &EventBody, times: i64, days: i64, depth: usize) -> Result<People> {
        let today = self.today()?;
        let question = Question::Distribution(DistributionBody {
            common: Common {
                start: today.saturating_sub((days - 1).days()).to_string(),
                end: today.to_string(),
                timezone: None,
                filters: None,
            },
            event: event.clone(),
            of: QuantityBody::Counted(CountedQuantity::Times),
            edges: Some(vec![times as f64]),
        });
        let prepared = Box::pin(self.prepare(&question, depth)).await?;
        self.behind(&prepared, &Pick::Distribution { bin: 0 }).await
    }
}
