//! Creating, updating and deleting saved analyses and cohorts.

use serde_json::json;

use super::content::Content;
use super::sizes;
use super::store::{self, SavedRow, SavedText};
use super::{Changing, Reader, SavedKind};
use crate::insight::state::Insight;
use atrium_core::audit::{self, Event};
use atrium_core::error::{Code, Fault, Result};
use atrium_core::permissions::QueryRun;
use atrium_core::text::Checks;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::InApp;

const NAME_MAX: usize = 100;
const DESCRIPTION_MAX: usize = 500;

/// The fields that both kinds have in common.
pub struct Label {
    pub name: String,
    pub description: Option<String>,
    pub shared: bool,
}

impl Label {
    /// An empty description becomes None.
    pub fn check(checks: &mut Checks, name: &str, description: Option<&str>, shared: bool) -> Self {
        let name = checks.name_up_to("name", name, NAME_MAX);
        let text = checks.text("description", description.unwrap_or_default(), DESCRIPTION_MAX);
        Self { name, description: (!text.is_empty()).then_some(text), shared }
    }

    fn with<'a>(&'a self, content: &'a Content, keeper: &'a Id, at: Millis) -> SavedText<'a> {
        SavedText {
            private_to: (!self.shared).then_some(keeper),
            name: &self.name,
            description: self.description.as_deref(),
            kind: &content.kind,
            text: &content.text,
            listed: content.listed,
            by: keeper,
            at,
        }
    }
}

pub async fn create<S: SavedKind>(
    atrium: &Insight,
    app: &InApp<QueryRun>,
    label: &Label,
    content: &Content,
) -> Result<SavedRow> {
    if label.shared && !app.access.holds(S::MANAGE) {
        return Err(Code::Forbidden.into());
    }
    let id = atrium.new_id();
    let mut tx = atrium.db.write_uncached().await?;
    let (_, access) = app.lock_and_recheck_active(&mut tx).await?;
    if label.shared && !access.holds(S::MANAGE) {
        return Err(Code::AccessChanged.into());
    }
    if store::count(&mut tx, S::TABLE, app.id()).await? >= S::MOST {
        return Err(Fault::new(S::FULL).with("max", S::MOST).into());
    }
    let text = label.with(content, app.user_id(), atrium.now());
    store::insert(&mut tx, S::TABLE, app.id(), &id, &text).await?;
    let row = store::one(&mut tx, S::TABLE, app.id(), &id).await?.ok_or(Code::NotFound)?;
    let event = event::<S>(app, S::CREATE, &id).with(audit_details(&row));
    audit::append(&mut tx, &app.actor(), event).await?;
    tx.commit().await?;
    Ok(row)
}

/// `version` is the one that the caller edited.
pub async fn update<S: SavedKind>(
    atrium: &Insight,
    changing: &Changing<S>,
    version: Option<i64>,
    label: &Label,
    content: &Content,
) -> Result<SavedRow> {
    let Changing { app, row: before, .. } = changing;
    let was_shared = before.private_to.is_none();
    let may_share = |manages: bool| !label.shared || was_shared || manages;
    // Only its creator can make something shared private again.
    let is_taken = was_shared && !label.shared && before.created_by.as_ref() != Some(app.user_id());
    if is_taken || !may_share(app.access.holds(S::MANAGE)) {
        return Err(Code::Forbidden.into());
    }
    if version.is_some_and(|version| version != before.version) {
        return Err(Code::ChangedMeanwhile.into());
    }
    let mut tx = atrium.db.write_uncached().await?;
    let (_, access) = app.lock_and_recheck_active(&mut tx).await?;
    let reader = Reader::of_session::<S>(app, &access);
    if !reader.may_change(before) || !may_share(reader.manages) {
        return Err(Code::AccessChanged.into());
    }
    let text = label.with(content, app.user_id(), atrium.now());
    if !store::update(&mut tx, S::TABLE, &before.id, before.version, &text).await? {
        return Err(Code::ChangedMeanwhile.into());
    }
    let after = store::one(&mut tx, S::TABLE, app.id(), &before.id).await?.ok_or(Code::NotFound)?;
    // Analyses have no sizes.
    if before.text != after.text {
        sizes::forget(&mut tx, &before.id).await?;
    }
    let details = json!({
        "before": audit_details(before), "after": audit_details(&after), "content_changed": before.text != after.text,
    });
    let event = event::<S>(app, S::UPDATE, &before.id).with(details);
    audit::append(&mut tx, &app.actor(), event).await?;
    tx.commit().await?;
    Ok(after)
}

pub async fn delete<S: SavedKind>(atrium: &Insight, changing: &Changing<S>) -> Result<()> {
    let Changing { app, row, .. } = changing;
    let mut tx = atrium.db.write_uncached().await?;
    let (_, access) = app.lock_and_recheck_active(&mut tx).await?;
    // It may have become private meanwhile.
    let row = store::one(&mut tx, S::TABLE, app.id(), &row.id).await?.ok_or(Code::NotFound)?;
    if !Reader::of_session::<S>(app, &access).may_change(&row) {
        return Err(Code::AccessChanged.into());
    }
    store::delete(&mut tx, S::TABLE, &row.id).await?;
    let event = event::<S>(app, S::DELETE, &row.id).with(audit_details(&row));
    audit::append(&mut tx, &app.actor(), event).await?;
    tx.commit().await?;
    Ok(())
}

fn event<S: SavedKind>(app: &InApp<QueryRun>, action: &'static str, id: &Id) -> Event {
    Event::new(action, S::NOUN, id).in_org(&app.app.org_id).in_app(app.id())
}

/// The details for the app's audit log: never the people a question is about, nor the name of anything
/// private.
fn audit_details(row: &SavedRow) -> serde_json::Value {
    let shared = row.private_to.is_none();
    json!({ "name": shared.then_some(&row.name), "kind": row.kind, "shared": shared })
}
