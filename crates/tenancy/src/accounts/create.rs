//! Makes an account together with its first organization and app, so that a new person has somewhere to
//! start. Shared by the setup link and the command line.

use serde_json::json;

use crate::apps;
use crate::orgs::OrgRole;
use crate::password;
use crate::state::Tenancy;
use crate::store::accounts::{self as store, NewUser};
use crate::store::apps::NewApp;
use crate::store::orgs;
use atrium_core::audit::{self, Actor, ActorKind, Event};
use atrium_core::db::Write;
use atrium_core::error::{Code, Fault, Result};
use atrium_core::locale::Locale;
use atrium_core::text::{Checks, Email};
use atrium_core::timezone;
use atrium_core::types::Id;

pub struct NewAccount {
    pub email: String,
    pub name: String,
    pub password: String,
    /// None for someone who joins an existing organization.
    pub organization: Option<String>,
    pub locale: Locale,
    pub timezone: Option<String>,
}

/// An account whose fields are checked and whose password is hashed: only a taken address can still fail.
pub struct CheckedAccount {
    email: Email,
    name: String,
    password_hash: String,
    organization: Option<String>,
    locale: Locale,
    timezone: String,
}

impl CheckedAccount {
    pub fn email(&self) -> &Email {
        &self.email
    }
}

pub struct Created {
    pub user_id: Id,
    /// The organization created with it.
    pub org_id: Option<Id>,
}

/// Hashing takes tens of milliseconds, so this runs before the transaction. `joins` is the name of the
/// organization that the person is invited to.
pub async fn check(
    atrium: &Tenancy,
    new: NewAccount,
    joins: Option<&str>,
) -> Result<CheckedAccount> {
    let mut checks = Checks::default();
    let email = checks.email("email", &new.email);
    let name = checks.name("name", &new.name);
    let organization = new.organization.map(|name| checks.name("organization_name", &name));
    let team = organization.as_deref().or(joins).unwrap_or_default();
    password::check_new(&mut checks, "password", &new.password, &[&new.email, &new.name, team]);
    let timezone = new.timezone.unwrap_or_else(|| timezone::DEFAULT.to_owned());
    if !timezone::exists(&timezone) {
        checks.fail(Fault::new(Code::BadTimezone).on("timezone"));
    }
    checks.finish()?;
    let password_hash = atrium.hasher.hash(new.password).await?;
    Ok(CheckedAccount { email, name, password_hash, organization, locale: new.locale, timezone })
}

/// Inserts the user, and the organization and app if requested. If nobody is signed in yet, the new
/// person is the actor.
pub async fn insert(
    atrium: &Tenancy,
    tx: &mut Write,
    actor: Actor,
    account: &CheckedAccount,
) -> Result<Created> {
    let now = atrium.now();
    let user_id = atrium.new_id();
    let user = NewUser {
        id: &user_id,
        email: &account.email,
        name: &account.name,
        locale: account.locale.as_str(),
        timezone: &account.timezone,
        password_hash: Some(&account.password_hash),
        at: now,
    };
    if !store::insert_user(tx, user).await? {
        return Err(Fault::new(Code::EmailTaken).on("email").into());
    }
    let actor = match actor.kind {
        ActorKind::Anonymous => Actor { kind: ActorKind::User(user_id.clone()), ..actor },
        _ => actor,
    };
    let event = Event::new("account.create", "user", &user_id);
    audit::append(tx, &actor, event.with(json!({ "email": account.email.as_typed }))).await?;

    let Some(organization) = &account.organization else {
        return Ok(Created { user_id, org_id: None });
    };
    let org_id = atrium.new_id();
    orgs::insert(tx, &org_id, organization, &account.timezone, now).await?;
    orgs::insert_member(tx, &org_id, &user_id, OrgRole::Owner, now).await?;
    let event = Event::new("org.create", "org", &org_id).in_org(&org_id);
    audit::append(tx, &actor, event.with(json!({ "name": organization }))).await?;

    let app = NewApp {
        id: atrium.new_id(),
        org_id: org_id.clone(),
        name: apps::FIRST_APP_NAME.to_owned(),
        description: String::new(),
        region: atrium.settings.console.default_region().to_owned(),
        timezone: account.timezone.clone(),
        created_by: user_id.clone(),
        at: now,
    };
    apps::insert(atrium, tx, &app).await?;
    let event = Event::new("app.create", "app", &app.id).in_org(&org_id).in_app(&app.id);
    audit::append(tx, &actor, event.with(json!({ "name": app.name }))).await?;
    Ok(Created { user_id, org_id: Some(org_id) })
}

/// Whoever makes an instance's first account, with the server's setup link or on its command line,
/// becomes its operator.
pub async fn make_operator(
    atrium: &Tenancy,
    tx: &mut Write,
    actor: Actor,
    user_id: &Id,
) -> Result<()> {
    store::set_operator(tx, user_id, Some(atrium.now())).await?;
    let event = Event::new("account.operator_add", "user", user_id);
    audit::append(tx, &actor, event).await
}

/// All steps, on behalf of the command line.
pub async fn by_operator(atrium: &Tenancy, new: NewAccount) -> Result<Created> {
    let account = check(atrium, new, None).await?;
    let mut tx = atrium.db.write().await?;
    let is_first = store::finish_setup(&mut tx, atrium.now()).await?;
    let created = insert(atrium, &mut tx, Actor::operator(), &account).await?;
    if is_first {
        make_operator(atrium, &mut tx, Actor::operator(), &created.user_id).await?;
    }
    tx.commit().await?;
    Ok(created)
}
