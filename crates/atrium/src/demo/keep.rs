//! Saves questions and cohorts in the apps whose stories are worth finding, as the console would: see
//! `kept.json`, which the console's tests read too.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::stories::{Market, STORIES};
use crate::app::AppState;
use atrium_core::audit::{self, Actor, Event};
use atrium_core::db::Write;
use atrium_core::error::{Error, Result};
use atrium_core::types::Id;
use atrium_insight::saved::SavedKind;
use atrium_insight::saved::analyses::Analyses;
use atrium_insight::saved::cohorts::Cohorts;
use atrium_insight::saved::store::{self, SavedText};

const KEPT: &str = include_str!("kept.json");

/// What is saved in which app, and by whom, both by index.
pub const KEEPING: [(&str, usize, usize); 3] = [("shop", 0, 3), ("shop", 3, 7), ("papers", 5, 8)];

#[derive(Deserialize)]
struct Kept {
    cohorts: Vec<CohortPart>,
    analyses: Vec<AnalysisPart>,
}

#[derive(Deserialize)]
struct CohortPart {
    /// The name that analyses use for it until it has an id.
    key: String,
    #[serde(flatten)]
    label: LabelPart,
    definition: Value,
}

#[derive(Deserialize)]
struct AnalysisPart {
    #[serde(flatten)]
    label: LabelPart,
    question: Value,
}

#[derive(Deserialize)]
struct LabelPart {
    name: Words,
    about: Words,
}

#[derive(Deserialize)]
struct Words {
    zh: String,
    en: String,
}

impl Words {
    fn of(&self, market: Market) -> &str {
        match market {
            Market::China => &self.zh,
            Market::Europe => &self.en,
        }
    }
}

/// An app, and the person who saves something in it.
pub struct Keeper<'a> {
    pub atrium: &'a AppState,
    pub app: usize,
    pub app_id: &'a Id,
    pub org_id: &'a Id,
    pub user_id: &'a Id,
}

impl Keeper<'_> {
    pub async fn keep(&self, tx: &mut Write, what: &str) -> Result<()> {
        let mut all: HashMap<String, Kept> = serde_json::from_str(KEPT).map_err(Error::internal)?;
        let Some(Kept { cohorts, analyses }) = all.remove(what) else { return Ok(()) };
        let mut ids = Vec::with_capacity(cohorts.len());
        for CohortPart { key, label, definition } in cohorts {
            let (of, text) = (&definition["of"], definition.to_string());
            let id = self.put::<Cohorts>(tx, &label, of, &text).await?;
            ids.push((format!("$cohort:{key}"), format!("$cohort:{id}")));
        }
        for AnalysisPart { label, question } in analyses {
            let text = question.to_string();
            let text = ids.iter().fold(text, |text, (key, id)| text.replace(key, id));
            self.put::<Analyses>(tx, &label, &question["kind"], &text).await?;
        }
        Ok(())
    }

    /// Saves an item that is shared in the app.
    async fn put<S: SavedKind>(
        &self,
        tx: &mut Write,
        label: &LabelPart,
        kind: &Value,
        text: &str,
    ) -> Result<Id> {
        let (id, market) = (self.atrium.new_id(), STORIES[self.app].market);
        let (name, kind) = (label.name.of(market), kind.as_str().unwrap_or_default());
        let saved = SavedText {
            private_to: None,
            name,
            description: Some(label.about.of(market)),
            kind,
            text,
            listed: 0,
            by: self.user_id,
            at: self.atrium.now(),
        };
        store::insert(tx, S::TABLE, self.app_id, &id, &saved).await?;
        let event = Event::new(S::CREATE, S::NOUN, &id).in_org(self.org_id).in_app(self.app_id);
        let details = json!({ "name": name, "kind": kind, "shared": true });
        audit::append(tx, &Actor::operator(), event.with(details)).await?;
        Ok(id)
    }
}
