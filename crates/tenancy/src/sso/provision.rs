//! What happens to a person once a provider has vouched for them: they sign in, they become a new
//! member, or their address already has an account, which its owner may link.

use http::HeaderMap;
use serde_json::json;

use super::linking::{self, Waiting};
use super::token::Person;
use super::{DefaultRole, domain};
use crate::accounts::login::{self, Outcome, SignIn, SignInMethod};
use crate::orgs::handlers::MOST;
use crate::orgs::my_invitations;
use crate::orgs::public_domains::is_public;
use crate::session::SignedIn;
use crate::sign_in_failure::SignInFailure;
use crate::state::Tenancy;
use crate::store::accounts::{self, NewUser, ProfileChange, UserRow};
use crate::store::orgs;
use crate::store::sso::{self as store, IdentityKey, IdentityRow, SsoRow};
use crate::throttle::{self, Attempt};
use atrium_core::audit::{self, Actor, Event};
use atrium_core::client::Client;
use atrium_core::db::Write;
use atrium_core::error::{Code, Fault, Result};
use atrium_core::locale::Locale;
use atrium_core::text::Email;
use atrium_core::types::Id;

pub enum Provisioned {
    Done(Outcome),
    /// The address has an account that is not linked yet. The ticket waits for its owner.
    NeedsLink {
        ticket: String,
    },
    Failed(SignInFailure),
}

/// Who is calling back, and from where.
pub struct CallbackContext<'a> {
    pub client: &'a Client,
    pub locale: Locale,
    pub headers: &'a HeaderMap,
    pub attempt: &'a Attempt,
    /// Who was signed in when the flow started and still is. Nobody else may finish it.
    pub asked_by: Option<&'a SignedIn>,
}

pub async fn provision(
    atrium: &Tenancy,
    context: CallbackContext<'_>,
    sso: &SsoRow,
    person: &Person,
) -> Result<Provisioned> {
    let mut tx = atrium.db.write().await?;
    // If two people arrive at once, the second one sees what the first one created.
    orgs::lock(&mut tx, &sso.org_id).await?;
    if !is_still_on(&mut tx, sso).await? {
        return Ok(Provisioned::Failed(SignInFailure::SsoOff));
    }
    if !answers_for(&mut tx, &sso.org_id, &person.email).await? {
        return Ok(Provisioned::Failed(SignInFailure::DomainNotAllowed));
    }
    let key = key(sso, person);
    if let Some(identity) = store::identity(&mut tx, key).await? {
        if context.asked_by.is_some_and(|it| it.user().id != identity.user_id) {
            return Ok(Provisioned::Failed(SignInFailure::LinkWrongAccount));
        }
        return sign_in_again(atrium, tx, context, sso, person, &identity).await;
    }
    if orgs::was_removed(&mut tx, &sso.org_id, &person.email).await?
        && !is_invited(atrium, &mut tx, &sso.org_id, &person.email).await?
    {
        return Ok(Provisioned::Failed(SignInFailure::MembershipEnded));
    }
    let user = match accounts::user_by_email(&mut tx, &person.email).await? {
        Some(user) => return offer_link(atrium, tx, context, sso, person, &user).await,
        None if context.asked_by.is_some() => {
            return offer_link_to_self(atrium, tx, context, sso, person).await;
        }
        None => create(atrium, &mut tx, &context, sso, person).await?,
    };
    // The address was registered at the same moment.
    let Some(user) = user else {
        let user = accounts::user_by_email(&mut tx, &person.email).await?;
        let user = user.ok_or(Code::Unavailable)?;
        return offer_link(atrium, tx, context, sso, person, &user).await;
    };
    sign_in(atrium, tx, context, sso, person, &user).await
}

fn key<'a>(sso: &'a SsoRow, person: &'a Person) -> IdentityKey<'a> {
    IdentityKey { org_id: &sso.org_id, issuer: &sso.issuer, subject: &person.subject }
}

/// Whether the organization still uses the provider that we asked.
pub async fn is_still_on(tx: &mut Write, asked: &SsoRow) -> Result<bool> {
    let row = store::of_org(tx, &asked.org_id).await?;
    Ok(row.is_some_and(|row| {
        row.enabled_at.is_some() && row.issuer == asked.issuer && row.client_id == asked.client_id
    }))
}

/// Whether the organization's provider is trusted for an address.
pub async fn answers_for(tx: &mut Write, org_id: &Id, email: &Email) -> Result<bool> {
    // A domain may have become known as public after it was claimed.
    match domain::of_email(&email.as_typed).filter(|domain| !is_public(domain)) {
        Some(domain) => store::owns_domain(tx, org_id, &domain).await,
        None => Ok(false),
    }
}

async fn sign_in(
    atrium: &Tenancy,
    tx: Write,
    context: CallbackContext<'_>,
    sso: &SsoRow,
    person: &Person,
    user: &UserRow,
) -> Result<Provisioned> {
    // A provider with a running session does not check who is there. If it does not say when it
    // last did, we only know what was proven before the flow started.
    let proven_at = person.proven_at.map(|at| at.min(atrium.now()));
    let sign_in = SignIn {
        through: Some(&sso.org_id),
        proven_at: proven_at.or(context.asked_by.map(SignedIn::proven_at)),
        ..SignIn::by(SignInMethod::Sso, user, context.client, context.headers)
    };
    match login::complete(atrium, tx, context.attempt, sign_in).await {
        Ok(outcome) => Ok(Provisioned::Done(outcome)),
        Err(error) if error.code() == Some(Code::BadCredentials) => {
            Ok(Provisioned::Failed(SignInFailure::AccountDisabled))
        }
        Err(error) => Err(error),
    }
}

/// Signs in a person whose identity is known.
async fn sign_in_again(
    atrium: &Tenancy,
    mut tx: Write,
    context: CallbackContext<'_>,
    sso: &SsoRow,
    person: &Person,
    identity: &IdentityRow,
) -> Result<Provisioned> {
    // Locked before the audit log, which is always locked last.
    if !accounts::lock_user(&mut tx, &identity.user_id, None).await? {
        return Ok(Provisioned::Failed(SignInFailure::AccountDisabled));
    }
    let user = accounts::user_by_id(&mut tx, &identity.user_id).await?.ok_or(Code::Unavailable)?;
    let actor = Actor::user(user.id.clone(), context.client);
    // A removed member stays out until the organization invites them again.
    if orgs::role_of(&mut tx, &sso.org_id, &user.id).await?.is_none() {
        if !is_invited(atrium, &mut tx, &sso.org_id, &Email::new(&user.email)).await? {
            return Ok(Provisioned::Failed(SignInFailure::MembershipEnded));
        }
        // An account that is in other organizations by now must agree by signing in itself.
        if !orgs::memberships(&mut tx, &user.id).await?.is_empty() {
            return offer_link(atrium, tx, context, sso, person, &user).await;
        }
        if !accept_invitation(atrium, &mut tx, &actor, &sso.org_id, &user).await? {
            return Ok(Provisioned::Failed(SignInFailure::MembershipEnded));
        }
    }
    let name = person.name.as_deref().unwrap_or(&identity.name);
    // Keep a name that the person chose here.
    if user.name == identity.name && user.name != name {
        let change = ProfileChange { name: Some(name), locale: None, timezone: None };
        accounts::update_profile(&mut tx, &user.id, &change).await?;
        let event = Event::new("account.profile", "user", &user.id).with(json!({
            "before": { "name": user.name }, "after": { "name": name }, "by": SignInMethod::Sso,
        }));
        audit::append(&mut tx, &actor, event).await?;
    }
    store::note_use(&mut tx, key(sso, person), name, atrium.now()).await?;
    sign_in(atrium, tx, context, sso, person, &user).await
}

/// A member who is signed in here with a different address than at the provider: offers to link the
/// account they are signed in to.
async fn offer_link_to_self(
    atrium: &Tenancy,
    mut tx: Write,
    context: CallbackContext<'_>,
    sso: &SsoRow,
    person: &Person,
) -> Result<Provisioned> {
    let Some(asked_by) = context.asked_by else { return Err(Code::NotSignedIn.into()) };
    let user = accounts::user_by_id(&mut tx, &asked_by.user().id).await?;
    let user = user.ok_or(Code::NotSignedIn)?;
    let is_member = orgs::role_of(&mut tx, &sso.org_id, &user.id).await?.is_some();
    let linked = store::linked(&mut tx, &user.id).await?;
    // One identity at the provider per account.
    if !is_member || linked.iter().any(|link| link.org_id == sso.org_id) {
        return Ok(Provisioned::Failed(SignInFailure::LinkWrongAccount));
    }
    offer_link(atrium, tx, context, sso, person, &user).await
}

/// A provider alone never gives access to an existing account.
async fn offer_link(
    atrium: &Tenancy,
    mut tx: Write,
    context: CallbackContext<'_>,
    sso: &SsoRow,
    person: &Person,
    user: &UserRow,
) -> Result<Provisioned> {
    if user.disabled_at.is_some() {
        return Ok(Provisioned::Failed(SignInFailure::AccountDisabled));
    }
    let waiting = Waiting::new(sso, person, &user.id);
    let ticket = linking::keep(atrium, &mut tx, &waiting).await?;
    throttle::forget(&mut tx, context.attempt).await?;
    tx.commit().await?;
    Ok(Provisioned::NeedsLink { ticket })
}

/// Creates account, membership and identity. None when the address was taken in the meantime.
async fn create(
    atrium: &Tenancy,
    tx: &mut Write,
    context: &CallbackContext<'_>,
    sso: &SsoRow,
    person: &Person,
) -> Result<Option<UserRow>> {
    let org = orgs::by_id(tx, &sso.org_id).await?.ok_or(Code::NotFound)?;
    let before_at = person.email.as_typed.split('@').next().unwrap_or_default();
    let user_id = atrium.new_id();
    let user = NewUser {
        id: &user_id,
        email: &person.email,
        name: person.name.as_deref().unwrap_or(before_at),
        locale: context.locale.as_str(),
        timezone: &org.timezone,
        password_hash: None,
        at: atrium.now(),
    };
    let name = user.name.to_owned();
    if !accounts::insert_user(tx, user).await? {
        return Ok(None);
    }
    let user = accounts::user_by_id(tx, &user_id).await?.ok_or(Code::Unavailable)?;
    let actor = Actor::user(user_id.clone(), context.client);
    store::insert_identity(tx, key(sso, person), &user_id, &name, atrium.now()).await?;
    // The organization's audit chain before the instance's, as everywhere.
    join(atrium, tx, &actor, sso, &user).await?;
    note_link(tx, &actor, key(sso, person), &user).await?;
    let event = Event::new("account.create", "user", &user_id);
    let details = json!({ "email": person.email.as_typed, "by": SignInMethod::Sso });
    audit::append(tx, &actor, event.with(details)).await?;
    Ok(Some(user))
}

pub async fn note_link(
    tx: &mut Write,
    actor: &Actor,
    key: IdentityKey<'_>,
    user: &UserRow,
) -> Result<()> {
    let event = Event::new("sso.link", "user", &user.id).in_org(key.org_id);
    let details = json!({ "email": user.email, "issuer": key.issuer, "subject": key.subject });
    audit::append(tx, actor, event.with(details)).await
}

/// Makes a person a member: with the role of a pending invitation, or with the default role. The
/// organization is locked.
pub async fn join(
    atrium: &Tenancy,
    tx: &mut Write,
    actor: &Actor,
    sso: &SsoRow,
    user: &UserRow,
) -> Result<()> {
    let there = orgs::role_of(tx, &sso.org_id, &user.id).await?.is_some();
    if there || accept_invitation(atrium, tx, actor, &sso.org_id, user).await? {
        return Ok(());
    }
    if orgs::was_removed(tx, &sso.org_id, &Email::new(&user.email)).await? {
        return Err(Code::TokenGone.into());
    }
    if orgs::memberships(tx, &user.id).await?.len() >= MOST {
        return Err(Fault::new(Code::TooManyOrgs).with("max", MOST).into());
    }
    let role = DefaultRole::parse(&sso.default_role).role();
    orgs::insert_member(tx, &sso.org_id, &user.id, role, atrium.now()).await?;
    let event = Event::new("org_member.join", "user", &user.id).in_org(&sso.org_id);
    let details = json!({ "role": role, "email": user.email, "by": SignInMethod::Sso });
    audit::append(tx, actor, event.with(details)).await
}

async fn is_invited(atrium: &Tenancy, tx: &mut Write, org_id: &Id, email: &Email) -> Result<bool> {
    let waiting = orgs::invitations_to(tx, email, atrium.now()).await?;
    Ok(waiting.iter().any(|row| row.org_id == *org_id))
}

/// Accepts a pending invitation to this organization. False when there is none that is still valid.
async fn accept_invitation(
    atrium: &Tenancy,
    tx: &mut Write,
    actor: &Actor,
    org_id: &Id,
    user: &UserRow,
) -> Result<bool> {
    let email = Email::new(&user.email);
    let waiting = orgs::invitations_to(tx, &email, atrium.now()).await?;
    let Some(row) = waiting.into_iter().find(|row| row.org_id == *org_id) else {
        return Ok(false);
    };
    match my_invitations::accept(atrium, tx, actor, &user.id, &row).await {
        Ok(()) => Ok(true),
        // The inviter may no longer invite.
        Err(error) if error.code() == Some(Code::InvitationClosed) => Ok(false),
        Err(error) => Err(error),
    }
}
