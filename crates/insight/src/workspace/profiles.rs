//! The users and devices of an app.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use warehouse::{Kind, PeopleQuery, PeopleSearch, PeopleSort, PersonRow, ProfileRow, Warehouse};

use super::pseudonym::{self, Pseudonyms};
use super::{Class, properties_of, shorten, warehouse_error, warehouse_for};
use crate::insight::state::Insight;
use atrium_collect::collect::fold;
use atrium_collect::personal::{self, Ids, Others};
use atrium_core::error::{Error, Result};
use atrium_core::http::json::{Data, Query};
use atrium_core::http::list::{ListQuery, ListQueryAnywhere, SortBy, Wanted};
use atrium_core::http::page::Paged;
use atrium_core::permissions::ProfileView;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::access::DataApp;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProfileKind {
    User,
    Device,
}

impl From<ProfileKind> for Kind {
    fn from(kind: ProfileKind) -> Self {
        match kind {
            ProfileKind::User => Self::User,
            ProfileKind::Device => Self::Device,
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct KindQuery {
    #[param(inline)]
    pub kind: ProfileKind,
}

/// A user or device. Callers who may not see personal data see pseudonyms.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProfileItem {
    pub id: String,
    /// The same as `id`, for use in requests about it.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Null if it has properties but no events.
    pub first_seen: Option<Millis>,
    pub last_seen: Option<Millis>,
    #[schema(value_type = Object)]
    pub properties: Map<String, Value>,
    /// Whether some properties are hidden.
    pub redacted: bool,
    /// Whether the profile reached its limits and lacks some of what was sent.
    pub truncated: bool,
    /// Whether long values are cut here; the answer about this one alone has them in full.
    pub shortened: bool,
}

/// Whether a caller sees ids or pseudonyms.
pub struct PiiAccess {
    pub pii: bool,
    pub pseudonyms: Pseudonyms,
}

impl PiiAccess {
    pub fn new(atrium: &Insight, app: &DataApp<ProfileView>, kind: Kind) -> Self {
        Self { pii: app.has_pii(), pseudonyms: Pseudonyms::new(atrium, app.id(), kind) }
    }

    pub fn name(&self, id: String) -> String {
        if self.pii { id } else { self.pseudonyms.of(&id) }
    }

    /// A profile's properties as they may be shown, and whether something is hidden.
    pub fn properties(
        &self,
        profile: Option<&ProfileRow>,
        others: &Others,
    ) -> (Map<String, Value>, bool) {
        let living = profile.filter(|profile| !profile.deleted);
        let mut properties =
            living.map(|profile| properties_of(&profile.properties)).unwrap_or_default();
        properties.remove(fold::TRUNCATED);
        // A profile has only one id, whichever kind it is.
        let id = profile.map_or("", |profile| &profile.id);
        let ids = Ids { user: id, device: "", others: Some(others) };
        let redacted = !self.pii && personal::redact_profile(&mut properties, ids) > 0;
        (properties, redacted)
    }

    fn is_truncated(profile: Option<&ProfileRow>) -> bool {
        let living = profile.filter(|profile| !profile.deleted);
        living.is_some_and(|profile| {
            // Empty if it was stored before there were limits, and is too long to be read.
            profile.properties.is_empty()
                || properties_of(&profile.properties).contains_key(fold::TRUNCATED)
        })
    }

    /// The ids of people in some profiles; empty for callers who see everything.
    pub async fn others<'a>(
        &self,
        store: &Warehouse,
        app: Uuid,
        profiles: impl Iterator<Item = &'a ProfileRow>,
    ) -> Result<Others> {
        let mut texts = BTreeSet::new();
        for profile in profiles.filter(|_| !self.pii) {
            personal::candidates(&properties_of(&profile.properties), &mut texts);
        }
        Others::among(store, &[app], texts).await.map_err(warehouse_error)
    }

    pub fn item(
        &self,
        person: PersonRow,
        profile: Option<&ProfileRow>,
        others: &Others,
    ) -> ProfileItem {
        let (properties, redacted) = self.properties(profile, others);
        let name = self.name(person.id);
        ProfileItem {
            reference: name.clone(),
            id: name,
            first_seen: person.first_ms.map(Millis),
            last_seen: person.last_ms.map(Millis),
            properties,
            redacted,
            truncated: Self::is_truncated(profile),
            shortened: false,
        }
    }

    /// The search. Callers who see pseudonyms can search only by those: finding an id by its beginning
    /// would reveal it letter by letter.
    fn search(&self, text: &str) -> Option<PeopleSearch> {
        Some(match (text, self.pii) {
            ("", _) => PeopleSearch::All,
            (text, true) => PeopleSearch::IdsAndProperties(text.to_owned()),
            (text, false) => PeopleSearch::Pseudonyms(pseudonym::beginning(text)?.to_owned()),
        })
    }
}

const SORTS: &[SortBy<PeopleSort>] = &[
    ("last_seen", PeopleSort::LastSeen, true),
    ("first_seen", PeopleSort::FirstSeen, true),
    ("id", PeopleSort::Id, false),
];

/// The users or the devices of the app.
#[utoipa::path(
    get,
    path = "/api/v1/apps/{id}/profiles",
    operation_id = "profile_list",
    tag = "workspace",
    security(("session" = []), ("query_key" = [])),
    params(("id" = Id, Path), KindQuery, ListQueryAnywhere),
    responses((status = 200, body = Data<Paged<ProfileItem>>))
)]
pub async fn profile_list(
    State(atrium): State<Insight>,
    app: DataApp<ProfileView>,
    Query(kind): Query<KindQuery>,
    Query(query): Query<ListQuery>,
) -> Result<Data<Paged<ProfileItem>>> {
    let paging = query.check_by(SORTS)?;
    let kind = Kind::from(kind.kind);
    let access = PiiAccess::new(&atrium, &app, kind);
    let Some(search) = access.search(&paging.search) else {
        return Ok(Data(Paged::new(Vec::new(), 0, paging.page)));
    };
    let store = warehouse_for(&atrium, app.reader(Class::AdHoc)).await?;
    let id = app.id().uuid()?;
    let query = people_query(id, kind, search, &paging, &access)?;
    let (people, total) = store.people(&query).await.map_err(warehouse_error)?;
    let profiles = profiles_of(&store, id, kind, &people).await?;
    let others = access.others(&store, id, profiles.values()).await?;
    let share = shorten::share(people.len());
    let items = people.into_iter().map(|person| {
        let profile = profiles.get(&person.id);
        let mut item = access.item(person, profile, &others);
        item.shortened = shorten::shorten(&mut item.properties, share);
        item
    });
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    Ok(Data(Paged::new(items.collect(), total, paging.page)))
}

fn people_query(
    app: Uuid,
    kind: Kind,
    search: PeopleSearch,
    paging: &Wanted<PeopleSort>,
    access: &PiiAccess,
) -> Result<PeopleQuery> {
    Ok(PeopleQuery {
        app,
        kind,
        search,
        sort: paging.sort,
        descending: paging.descending,
        limit: u64::try_from(paging.page.limit).map_err(Error::internal)?,
        offset: u64::try_from(paging.page.offset).map_err(Error::internal)?,
        pseudonyms: (!access.pii).then_some(access.pseudonyms.key),
    })
}

async fn profiles_of(
    store: &Warehouse,
    app: Uuid,
    kind: Kind,
    people: &[PersonRow],
) -> Result<HashMap<String, ProfileRow>> {
    let ids: Vec<String> = people.iter().map(|person| person.id.clone()).collect();
    profiles_of_ids(store, app, kind, &ids).await
}

pub async fn profiles_of_ids(
    store: &Warehouse,
    app: Uuid,
    kind: Kind,
    ids: &[String],
) -> Result<HashMap<String, ProfileRow>> {
    let profiles = store.profiles(app, kind, ids).await.map_err(warehouse_error)?;
    Ok(profiles.into_iter().map(|profile| (profile.id.clone(), profile)).collect())
}
