//! What becomes of someone whom a provider vouched for: they sign in, they are new and become a
//! member, or their address has an account already, which is for its holder to link.

use http::HeaderMap;
use serde_json::json;

use super::linking::{self, Waiting};
use super::store::{self, IdentityKey, IdentityRow, SsoRow};
use super::token::Person;
use super::{DefaultRole, Refusal, domain};
use crate::accounts::login::{self, Outcome, SignIn, Way};
use crate::accounts::session::SignedIn;
use crate::accounts::store::{self as accounts, NewUser, ProfileChange, UserRow};
use crate::accounts::throttle::{self, Attempt};
use crate::app::AppState;
use crate::audit::{self, Actor, Event};
use crate::db::Write;
use crate::error::{Code, Fault, Result};
use crate::http::client::Client;
use crate::http::locale::Locale;
use crate::http::text::Email;
use crate::orgs::handlers::MOST;
use crate::orgs::my_invitations;
use crate::orgs::public_domains::is_public;
use crate::orgs::store as orgs;
use crate::types::Id;

pub enum Arrived {
    In(Outcome),
    /// The address has an account that is not linked. The ticket waits for its holder.
    Known {
        ticket: String,
    },
    Refused(Refusal),
}

/// As whom and from where someone comes.
pub struct Guest<'a> {
    pub client: &'a Client,
    pub locale: Locale,
    pub headers: &'a HeaderMap,
    pub attempt: &'a Attempt,
    /// Who was signed in when the trip began, and still is: nobody else comes back in their place.
    pub asked_by: Option<&'a SignedIn>,
}

pub async fn arrive(
    atrium: &AppState,
    guest: Guest<'_>,
    sso: &SsoRow,
    person: &Person,
) -> Result<Arrived> {
    let mut tx = atrium.db.write().await?;
    // Of two who come for the first time at once, the second finds what the first one made.
    orgs::lock(&mut tx, &sso.org_id).await?;
    if !is_still_on(&mut tx, sso).await? {
        return Ok(Arrived::Refused(Refusal::SsoOff));
    }
    if !answers_for(&mut tx, &sso.org_id, &person.email).await? {
        return Ok(Arrived::Refused(Refusal::DomainNotAllowed));
    }
    let key = key(sso, person);
    if let Some(identity) = store::identity(&mut tx, key).await? {
        if guest.asked_by.is_some_and(|it| it.user().id != identity.user_id) {
            return Ok(Arrived::Refused(Refusal::LinkWrongAccount));
        }
        return returning(atrium, tx, guest, sso, person, &identity).await;
    }
    if orgs::was_removed(&mut tx, &sso.org_id, &person.email).await?
        && !is_invited(atrium, &mut tx, &sso.org_id, &person.email).await?
    {
        return Ok(Arrived::Refused(Refusal::MembershipEnded));
    }
    let user = match accounts::user_by_email(&mut tx, &person.email).await? {
        Some(user) => return known(atrium, tx, guest, sso, person, &user).await,
        None if guest.asked_by.is_some() => return own(atrium, tx, guest, sso, person).await,
        None => create(atrium, &mut tx, &guest, sso, person).await?,
    };
    // Someone registered the address at the same moment.
    let Some(user) = user else {
        let user = accounts::user_by_email(&mut tx, &person.email).await?;
        let user = user.ok_or(Code::Unavailable)?;
        return known(atrium, tx, guest, sso, person, &user).await;
    };
    admit(atrium, tx, guest, sso, person, &user).await
}

fn key<'a>(sso: &'a SsoRow, person: &'a Person) -> IdentityKey<'a> {
    IdentityKey { org_id: &sso.org_id, issuer: &sso.issuer, subject: &person.subject }
}

/// Whether the provider that was asked is still the organisation's.
pub async fn is_still_on(tx: &mut Write, asked: &SsoRow) -> Result<bool> {
    let row = store::of_org(tx, &asked.org_id).await?;
    Ok(row.is_some_and(|row| {
        row.enabled_at.is_some() && row.issuer == asked.issuer && row.client_id == asked.client_id
    }))
}

/// Whether an organisation's provider has a say about an address.
pub async fn answers_for(tx: &mut Write, org_id: &Id, email: &Email) -> Result<bool> {
    // A claim may be older than what is known of the domain.
    match domain::of_email(&email.as_typed).filter(|domain| !is_public(domain)) {
        Some(domain) => store::owns_domain(tx, org_id, &domain).await,
        None => Ok(false),
    }
}

async fn admit(
    atrium: &AppState,
    tx: Write,
    guest: Guest<'_>,
    sso: &SsoRow,
    person: &Person,
    user: &UserRow,
) -> Result<Arrived> {
    // A provider that waves someone through has not seen who sits there. Where it does not say, what
    // was proven before the trip is all that there is.
    let told = person.proven_at.map(|at| at.min(atrium.now()));
    let sign_in = SignIn {
        through: Some(&sso.org_id),
        proven_at: told.or(guest.asked_by.map(SignedIn::proven_at)),
        ..SignIn::by(Way::Sso, user, guest.client, guest.headers)
    };
    match login::settle(atrium, tx, guest.attempt, sign_in).await {
        Ok(outcome) => Ok(Arrived::In(outcome)),
        Err(error) if error.code() == Some(Code::BadCredentials) => {
            Ok(Arrived::Refused(Refusal::AccountDisabled))
        }
        Err(error) => Err(error),
    }
}

/// Someone who has come before.
async fn returning(
    atrium: &AppState,
    mut tx: Write,
    guest: Guest<'_>,
    sso: &SsoRow,
    person: &Person,
    identity: &IdentityRow,
) -> Result<Arrived> {
    // Held before anything is written down: the end of a log is locked after everything else.
    if !accounts::hold_user(&mut tx, &identity.user_id, None).await? {
        return Ok(Arrived::Refused(Refusal::AccountDisabled));
    }
    let user = accounts::user_by_id(&mut tx, &identity.user_id).await?.ok_or(Code::Unavailable)?;
    let actor = Actor::user(user.id.clone(), guest.client);
    // Whoever was taken out stays out, until the organisation asks them in again.
    if orgs::role_of(&mut tx, &sso.org_id, &user.id).await?.is_none() {
        if !is_invited(atrium, &mut tx, &sso.org_id, &Email::new(&user.email)).await? {
            return Ok(Arrived::Refused(Refusal::MembershipEnded));
        }
        // An account that belongs elsewhere by now is its holder's to say yes for, by own means.
        if !orgs::memberships(&mut tx, &user.id).await?.is_empty() {
            return known(atrium, tx, guest, sso, person, &user).await;
        }
        if !accept_invitation(atrium, &mut tx, &actor, &sso.org_id, &user).await? {
            return Ok(Arrived::Refused(Refusal::MembershipEnded));
        }
    }
    let told = person.name.as_deref().unwrap_or(&identity.name);
    // A name that the person chose here is theirs.
    if user.name == identity.name && user.name != told {
        let change = ProfileChange { name: Some(told), locale: None, timezone: None };
        accounts::update_profile(&mut tx, &user.id, &change).await?;
        let event = Event::new("account.profile", "user", &user.id).with(json!({
            "before": { "name": user.name }, "after": { "name": told }, "by": Way::Sso,
        }));
        audit::append(atrium, &mut tx, &actor, event).await?;
    }
    store::note_use(&mut tx, key(sso, person), told, atrium.now()).await?;
    admit(atrium, tx, guest, sso, person, &user).await
}

/// A member who is signed in here under another address than over there: the same link, for the
/// account that they have.
async fn own(
    atrium: &AppState,
    mut tx: Write,
    guest: Guest<'_>,
    sso: &SsoRow,
    person: &Person,
) -> Result<Arrived> {
    let Some(asked_by) = guest.asked_by else { return Err(Code::NotSignedIn.into()) };
    let user = accounts::user_by_id(&mut tx, &asked_by.user().id).await?;
    let user = user.ok_or(Code::NotSignedIn)?;
    let is_member = orgs::role_of(&mut tx, &sso.org_id, &user.id).await?.is_some();
    let linked = store::linked(&mut tx, &user.id).await?;
    // One person over there for one person here.
    if !is_member || linked.iter().any(|link| link.org_id == sso.org_id) {
        return Ok(Arrived::Refused(Refusal::LinkWrongAccount));
    }
    known(atrium, tx, guest, sso, person, &user).await
}

/// The provider alone never opens an account that was there before.
async fn known(
    atrium: &AppState,
    mut tx: Write,
    guest: Guest<'_>,
    sso: &SsoRow,
    person: &Person,
    user: &UserRow,
) -> Result<Arrived> {
    if user.disabled_at.is_some() {
        return Ok(Arrived::Refused(Refusal::AccountDisabled));
    }
    let waiting = Waiting::new(sso, person, &user.id);
    let ticket = linking::keep(atrium, &mut tx, &waiting).await?;
    throttle::forget(&mut tx, guest.attempt).await?;
    tx.commit().await?;
    Ok(Arrived::Known { ticket })
}

/// A new person: account, membership and identity. None when the address was taken meanwhile.
async fn create(
    atrium: &AppState,
    tx: &mut Write,
    guest: &Guest<'_>,
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
        locale: guest.locale.as_str(),
        timezone: &org.timezone,
        password_hash: None,
        at: atrium.now(),
    };
    let name = user.name.to_owned();
    if !accounts::insert_user(tx, user).await? {
        return Ok(None);
    }
    let user = accounts::user_by_id(tx, &user_id).await?.ok_or(Code::Unavailable)?;
    let actor = Actor::user(user_id.clone(), guest.client);
    store::insert_identity(tx, key(sso, person), &user_id, &name, atrium.now()).await?;
    // The organisation's chain before the instance's, as everywhere.
    join(atrium, tx, &actor, sso, &user).await?;
    note_link(atrium, tx, &actor, key(sso, person), &user).await?;
    let event = Event::new("account.create", "user", &user_id);
    let details = json!({ "email": person.email.as_typed, "by": Way::Sso });
    audit::append(atrium, tx, &actor, event.with(details)).await?;
    Ok(Some(user))
}

pub async fn note_link(
    atrium: &AppState,
    tx: &mut Write,
    actor: &Actor,
    key: IdentityKey<'_>,
    user: &UserRow,
) -> Result<()> {
    let event = Event::new("sso.link", "user", &user.id).in_org(key.org_id);
    let details = json!({ "email": user.email, "issuer": key.issuer, "subject": key.subject });
    audit::append(atrium, tx, actor, event.with(details)).await
}

/// Makes someone a member: as an invitation that waits for them says, or as the organisation has it
/// for everybody who comes. The organisation is held.
pub async fn join(
    atrium: &AppState,
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
    let details = json!({ "role": role, "email": user.email, "by": Way::Sso });
    audit::append(atrium, tx, actor, event.with(details)).await
}

async fn is_invited(atrium: &AppState, tx: &mut Write, org_id: &Id, email: &Email) -> Result<bool> {
    let waiting = orgs::invitations_to(tx, email, atrium.now()).await?;
    Ok(waiting.iter().any(|row| row.org_id == *org_id))
}

/// Accepts what waits for the person's address in this organisation. False when nothing does that
/// still counts.
async fn accept_invitation(
    atrium: &AppState,
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
        // Its inviter has nothing to say any more.
        Err(error) if error.code() == Some(Code::InvitationClosed) => Ok(false),
        Err(error) => Err(error),
    }
}
