//! Creates the teams, their people, apps, roles, keys, saved analyses and the ledger, in one transaction
//! and by the same steps as the console.

use serde_json::json;
use sqlx::AnyConnection;

use super::batch::Books;
use super::cast::{self, AppPart, PEOPLE, PersonPart, ROLES, RolePart, TEAMS};
use super::keep::{KEEPING, Keeper};
use super::plan::Plan;
use super::report::{AccessKey, AppReport, PersonReport, Report, Standing, TeamReport};
use super::stories::STORIES;
use crate::app::AppState;
use atrium_collect::collect::ledger;
use atrium_collect::collect::message::MessageType;
use atrium_core::audit::{self, Actor, Event};
use atrium_core::db::Write;
use atrium_core::error::{Error, Result};
use atrium_core::locale::Locale;
use atrium_core::text::Email;
use atrium_core::types::{Id, Millis};
use atrium_tenancy::accounts::create::{self, CheckedAccount, NewAccount};
use atrium_tenancy::apps::{self, versions};
use atrium_tenancy::keys::{self, generate};
use atrium_tenancy::notification_types::{Channels, TYPES};
use atrium_tenancy::orgs::OrgRole;
use atrium_tenancy::store::apps::{self as app_store, NewApp};
use atrium_tenancy::store::roles::{self, RoleText};
use atrium_tenancy::store::{accounts, keys as key_store, orgs};

/// What to create.
pub struct Wanted<'a> {
    /// The number of the demo on this instance, from 1 on.
    pub demo: u32,
    /// When teams and apps were created.
    pub since: Millis,
    pub apps: &'a [Id],
    pub password: &'a str,
    pub plan: &'a Plan,
    pub books: &'a Books,
}

/// The first demo number for which all addresses are free.
pub async fn free_number(atrium: &AppState) -> Result<u32> {
    let mut db = atrium.db.read().await?;
    let mut demo = 1;
    while is_taken(&mut db, demo).await? {
        demo += 1;
    }
    Ok(demo)
}

async fn is_taken(db: &mut AnyConnection, demo: u32) -> Result<bool> {
    for person in &PEOPLE {
        let email = Email::new(&cast::address(person, demo));
        if accounts::user_by_email(db, &email).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

pub async fn make(atrium: &AppState, wanted: &Wanted<'_>) -> Result<Report> {
    let mut checked = Vec::with_capacity(PEOPLE.len());
    for person in &PEOPLE {
        checked.push(check(atrium, person, wanted).await?);
    }
    let mut maker = Maker { atrium, wanted, tx: atrium.db.write().await? };
    let is_first = accounts::finish_setup(&mut maker.tx, atrium.now()).await?;
    let mut people = Vec::with_capacity(PEOPLE.len());
    for account in &checked {
        people.push(maker.account(account).await?);
    }
    let owner = &people[0];
    if is_first {
        create::make_operator(atrium, &mut maker.tx, Actor::operator(), owner).await?;
    }
    let mut teams = Vec::with_capacity(TEAMS.len());
    for team in 0..TEAMS.len() {
        teams.push(maker.team(team, &people).await?);
    }
    for (place, story) in STORIES.iter().enumerate() {
        let made = maker.app(place, &teams[story.team].id, owner).await?;
        teams[story.team].apps.push(made);
    }
    let mut role_ids = Vec::with_capacity(ROLES.len());
    for role in &ROLES {
        role_ids.push(maker.role(role, &teams).await?);
    }
    for (person, user_id) in PEOPLE.iter().zip(&people) {
        for (app, part) in person.apps {
            let role_id = match part {
                AppPart::Builtin(role) => role.id(),
                AppPart::Custom(place) => role_ids[*place].clone(),
            };
            let org_id = &teams[STORIES[*app].team].id;
            maker.app_member(*app, org_id, user_id, &role_id, owner).await?;
        }
    }
    for (what, app, person) in KEEPING {
        let (org_id, user_id) = (&teams[STORIES[app].team].id, &people[person]);
        let keeper = Keeper { atrium, app, app_id: &wanted.apps[app], org_id, user_id };
        keeper.keep(&mut maker.tx, what).await?;
    }
    maker.book().await?;
    maker.tx.commit().await?;
    Ok(report(atrium, wanted, teams))
}

async fn check(
    atrium: &AppState,
    person: &PersonPart,
    wanted: &Wanted<'_>,
) -> Result<CheckedAccount> {
    let account = NewAccount {
        email: cast::address(person, wanted.demo),
        name: person.name.to_owned(),
        password: wanted.password.to_owned(),
        organization: None,
        locale: person.locale,
        timezone: Some(person.zone.to_owned()),
    };
    create::check(atrium, account, None).await
}

struct Maker<'a> {
    atrium: &'a AppState,
    wanted: &'a Wanted<'a>,
    tx: Write,
}

impl Maker<'_> {
    async fn note(&mut self, event: Event) -> Result<()> {
        audit::append(&mut self.tx, &Actor::operator(), event).await
    }

    /// Mail to people who do not exist would only bounce: all notifications stay in the console, except
    /// those about security, which nobody can turn off.
    async fn account(&mut self, account: &CheckedAccount) -> Result<Id> {
        let made = create::insert(self.atrium, &mut self.tx, Actor::operator(), account).await?;
        let quiet = TYPES.into_iter().filter(|kind| *kind != "security");
        let quiet: Channels =
            quiet.map(|kind| (kind.to_owned(), vec!["in_app".to_owned()])).collect();
        let quiet = serde_json::to_string(&quiet).map_err(Error::internal)?;
        accounts::update_notification_types(&mut self.tx, &made.user_id, &quiet).await?;
        Ok(made.user_id)
    }

    async fn team(&mut self, place: usize, people: &[Id]) -> Result<TeamReport> {
        let (part, since) = (&TEAMS[place], self.wanted.since);
        let (id, name) = (self.atrium.new_id(), cast::team_name(part, self.wanted.demo));
        orgs::insert(&mut self.tx, &id, &name, part.zone, since).await?;
        let event = Event::new("org.create", "org", &id).in_org(&id);
        self.note(event.with(json!({ "name": name }))).await?;
        for (person, user_id) in PEOPLE.iter().zip(people) {
            for (_, role) in person.teams.iter().filter(|(team, _)| *team == place) {
                orgs::insert_member(&mut self.tx, &id, user_id, *role, since).await?;
                let event = Event::new("org_member.join", "user", user_id).in_org(&id);
                let email = cast::address(person, self.wanted.demo);
                self.note(event.with(json!({ "role": role, "email": email }))).await?;
            }
        }
        Ok(TeamReport { id, name, timezone: part.zone, apps: Vec::new() })
    }

    async fn app(&mut self, place: usize, org_id: &Id, owner: &Id) -> Result<AppReport> {
        let story = &STORIES[place];
        let app = NewApp {
            id: self.wanted.apps[place].clone(),
            org_id: org_id.clone(),
            name: story.name.to_owned(),
            description: story.description.to_owned(),
            region: self.atrium.settings.console.default_region().to_owned(),
            timezone: story.zone.to_owned(),
            created_by: owner.clone(),
            at: self.wanted.since,
        };
        apps::insert(self.atrium, &mut self.tx, &app).await?;
        let event = Event::new("app.create", "app", &app.id).in_org(org_id).in_app(&app.id);
        let details = json!({ "name": app.name, "region": app.region, "timezone": app.timezone });
        self.note(event.with(details)).await?;
        let access_key = self.access_key(&app, owner).await?;
        let collect_key = key_store::collect_key(&mut self.tx, &app.id).await?;
        Ok(AppReport {
            id: app.id,
            name: app.name,
            timezone: story.zone,
            events: self.wanted.books.accepted(place, MessageType::Event),
            collect_key: collect_key.unwrap_or_default(),
            access_key,
        })
    }

    async fn access_key(&mut self, app: &NewApp, owner: &Id) -> Result<AccessKey> {
        let made = generate::access_key(self.atrium)?;
        let name = "demo";
        let key = key_store::NewAccessKey {
            made: &made,
            app_id: &app.id,
            name,
            created_by: owner,
            at: self.atrium.now(),
            expires_at: None,
            reminded: keys::reminders::Stage::passed(None, self.atrium.now()),
        };
        key_store::insert_access_key(&mut self.tx, key).await?;
        for action in ["key.create", "key.reveal"] {
            let event = Event::new(action, "access_key", &made.id);
            let event = event.in_org(&app.org_id).in_app(&app.id);
            self.note(event.with(json!({ "name": name }))).await?;
        }
        Ok(AccessKey { id: made.id, secret: made.secret })
    }

    async fn role(&mut self, part: &RolePart, teams: &[TeamReport]) -> Result<Id> {
        let (id, app_id) = (self.atrium.new_id(), &self.wanted.apps[part.app]);
        let codes: Vec<_> = part.permissions.iter().map(|permission| permission.code()).collect();
        let text = RoleText {
            id: &id,
            name: part.name,
            description: part.description,
            permissions: part.permissions,
        };
        roles::insert(&mut self.tx, app_id, &text, self.wanted.since).await?;
        let org_id = &teams[STORIES[part.app].team].id;
        let event = Event::new("role.create", "role", &id).in_org(org_id).in_app(app_id);
        self.note(event.with(json!({ "name": part.name, "permissions": codes }))).await?;
        Ok(id)
    }

    async fn app_member(
        &mut self,
        app: usize,
        org_id: &Id,
        user_id: &Id,
        role_id: &Id,
        owner: &Id,
    ) -> Result<()> {
        let (app_id, since) = (&self.wanted.apps[app], self.wanted.since);
        let db: &mut AnyConnection = &mut self.tx;
        app_store::insert_member(db, app_id, user_id, role_id, Some(owner), since).await?;
        let role = atrium_tenancy::roles::find(db, app_id, role_id).await?;
        let role = role.map(|role| role.name(Locale::EnUs));
        let event = Event::new("app_member.add", "user", user_id).in_org(org_id).in_app(app_id);
        self.note(event.with(json!({ "role": role, "role_id": role_id }))).await
    }

    /// Books the events in the ledger, day by day because a tally has a limited number of lines. Also
    /// records that there are events: otherwise an app would look as if nobody had connected it yet.
    async fn book(&mut self) -> Result<()> {
        let (plan, now) = (self.wanted.plan, self.atrium.now());
        let ids: Vec<_> = plan.apps.iter().map(|app| app.id).collect();
        let mut chance = plan.ledger_chance();
        let tallies = self.wanted.books.tallies(&ids, |app, day| plan.date(app, day), &mut chance);
        for tally in &tallies {
            let batch = u64::from_be_bytes(self.atrium.entropy.bytes());
            ledger::book(&mut self.tx, &format!("{batch:016x}"), tally, now).await?;
        }
        let day = |at: Millis| at.0.div_euclid(Millis::DAY);
        let days = (day(self.wanted.since)..=day(now)).collect();
        for id in self.wanted.apps {
            versions::added(&mut self.tx, id.as_str(), &days).await?;
        }
        Ok(())
    }
}

fn report(atrium: &AppState, wanted: &Wanted<'_>, teams: Vec<TeamReport>) -> Report {
    let in_team = |(team, role): &(usize, OrgRole)| Standing {
        name: teams[*team].name.clone(),
        role: role.as_str().to_owned(),
    };
    let in_app = |(app, part): &(usize, AppPart)| Standing {
        name: STORIES[*app].name.to_owned(),
        role: match part {
            AppPart::Builtin(role) => role.key().to_owned(),
            AppPart::Custom(place) => ROLES[*place].name.to_owned(),
        },
    };
    let person = |part: &PersonPart| PersonReport {
        email: cast::address(part, wanted.demo),
        name: part.name,
        teams: part.teams.iter().map(in_team).collect(),
        apps: part.apps.iter().map(in_app).collect(),
    };
    Report {
        url: atrium.settings.server.link(""),
        seed: wanted.plan.seed,
        events: wanted.plan.events,
        password: wanted.password.to_owned(),
        people: PEOPLE.iter().map(person).collect(),
        teams,
    }
}
