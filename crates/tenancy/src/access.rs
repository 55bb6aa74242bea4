//! Who may do what, as part of a handler's signature: `InOrg<OrgUpdate>` is a member of the organization
//! in the path who may change it, `InApp<AppArchive>` is someone who may archive the app in the path.
//! What the caller may not see answers 404, what they see but may not do answers 403, and both are
//! decided before the body is read. Handlers that only read data accept an app's query key too:
//! `DataApp<EventView>`.

mod data;

use std::marker::PhantomData;

use axum::extract::{FromRef, FromRequestParts};
use http::request::Parts;
use sqlx::AnyConnection;

use crate::session::SignedIn;
use crate::state::Tenancy;
use crate::store::apps::{self as app_store, AppAccess, AppRow, AppStatus};
use crate::store::orgs::{self as org_store, OrgRow, SessionRequirements};
use atrium_core::audit::Actor;
use atrium_core::caller::{Caller, Target};
use atrium_core::error::{Code, Error, Result};
use atrium_core::fair_queue::{Caller as QueueCaller, Class};
use atrium_core::http::path::PathId;
use atrium_core::permissions::{Grant, OrgRole, Permission};
use atrium_core::types::Id;

pub use data::{DataApp, DataOrg, ReadableApp};

/// A member of the organization in the path, whatever they may do there. Only for leaving: it also admits
/// people who do not meet the organization's requirements, but no session that was ended for it.
pub struct Member {
    pub signed_in: SignedIn,
    pub org: OrgRow,
    pub role: OrgRole,
    requirements: SessionRequirements,
}

impl<S> FromRequestParts<S> for Member
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let signed_in = SignedIn::from_request_parts(parts, state).await?;
        let PathId(id) = PathId::from_request_parts(parts, state).await?;
        let caller = Caller::of(parts);
        caller.wants(Target::Org(id.clone()), None);
        let mut db = atrium.db.read().await?;
        let found = org_store::for_member(&mut db, &id, &signed_in.user().id).await?;
        let Some((org, standing)) = found else {
            caller.was_kept_out();
            return Err(Code::NotFound.into());
        };
        let requirements = SessionRequirements::of(&org, &standing);
        requirements.check_proof(&signed_in)?;
        Ok(Self { signed_in, org, role: standing.role, requirements })
    }
}

/// Someone with a permission in the organization in the path.
pub struct InOrg<G: Grant> {
    pub signed_in: SignedIn,
    pub org: OrgRow,
    pub role: OrgRole,
    grant: PhantomData<G>,
}

impl<G: Grant> InOrg<G> {
    pub fn id(&self) -> &Id {
        &self.org.id
    }

    /// The identity under which the caller queues for the warehouse.
    pub fn reader(&self, class: Class) -> QueueCaller {
        QueueCaller::person(class, &self.org.id, self.user_id())
    }

    pub fn user_id(&self) -> &Id {
        &self.signed_in.user().id
    }

    pub fn actor(&self) -> Actor {
        self.signed_in.actor()
    }

    /// Locks the organization until the transaction ends, and checks again: the caller's permissions,
    /// because one of two admins who demote each other comes too late, and the organization itself,
    /// because a body can take a long time to arrive.
    pub async fn lock_and_recheck(&self, db: &mut AnyConnection) -> Result<(OrgRow, OrgRole)> {
        org_store::lock(db, self.id()).await?;
        let found = org_store::for_member(db, self.id(), self.user_id()).await?;
        let (org, standing) = found.ok_or(Code::AccessChanged)?;
        SessionRequirements::of(&org, &standing).check(&self.signed_in, &org.id)?;
        if !standing.role.permissions().contains(&G::PERMISSION) {
            return Err(Code::AccessChanged.into());
        }
        Ok((org, standing.role))
    }
}

impl<S, G: Grant> FromRequestParts<S> for InOrg<G>
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let member = Member::from_request_parts(parts, state).await?;
        let Member { signed_in, org, role, requirements } = member;
        Caller::of(parts).wants(Target::Org(org.id.clone()), Some(G::PERMISSION));
        requirements.check(&signed_in, &org.id)?;
        if !role.permissions().contains(&G::PERMISSION) {
            return Err(Code::Forbidden.into());
        }
        Ok(Self { signed_in, org, role, grant: PhantomData })
    }
}

// Here rather than beside its fields: the store layer does not know about signed-in people.
impl SessionRequirements {
    pub fn check(self, signed_in: &SignedIn, org_id: &Id) -> Result<()> {
        if self.sso && !signed_in.came_through(org_id) {
            return Err(Code::SsoRequired.into());
        }
        self.check_proof(signed_in)?;
        // If an owner came through the organization's provider, two factors are the provider's business.
        let is_due = |since| signed_in.is_factor_due(since) && !signed_in.came_through(org_id);
        let second_factor = self.second_factor || self.owner_since.is_some_and(is_due);
        if second_factor && !signed_in.has_two_factors() {
            return Err(Code::SecondFactorRequired.into());
        }
        Ok(())
    }

    /// People whose sessions were ended for this organization must prove again who they are.
    fn check_proof(self, signed_in: &SignedIn) -> Result<()> {
        match self.proven_after {
            Some(ended) if signed_in.proven_at() <= ended => Err(Code::ReauthRequired.into()),
            _ => Ok(()),
        }
    }
}

/// Someone with a permission in the app in the path.
pub struct InApp<G: Grant> {
    pub signed_in: SignedIn,
    pub app: AppRow,
    pub access: AppAccess,
    grant: PhantomData<G>,
}

impl<G: Grant> InApp<G> {
    pub fn id(&self) -> &Id {
        &self.app.id
    }

    /// The identity under which the caller queues for the warehouse.
    pub fn reader(&self, class: Class) -> QueueCaller {
        QueueCaller::person(class, &self.app.org_id, self.user_id()).in_app(&self.app.id)
    }

    pub fn user_id(&self) -> &Id {
        &self.signed_in.user().id
    }

    pub fn actor(&self) -> Actor {
        self.signed_in.actor()
    }

    /// Locks the app until the transaction ends, and checks again: the caller's permissions, and the app
    /// itself.
    pub async fn lock_and_recheck(&self, db: &mut AnyConnection) -> Result<(AppRow, AppAccess)> {
        app_store::lock(db, self.id()).await?;
        let found = app_store::for_user(db, self.id(), self.user_id()).await?;
        match found {
            Some((app, access, requirements)) if access.holds(G::PERMISSION) => {
                requirements.check(&self.signed_in, &app.org_id)?;
                Ok((app, access))
            }
            _ => Err(Code::AccessChanged.into()),
        }
    }

    /// Like `lock_and_recheck`, for changes that only an active app accepts: an archived one is
    /// read-only.
    pub async fn lock_and_recheck_active(
        &self,
        db: &mut AnyConnection,
    ) -> Result<(AppRow, AppAccess)> {
        let (app, access) = self.lock_and_recheck(db).await?;
        if app.status() != AppStatus::Active {
            return Err(Code::AppNotActive.into());
        }
        Ok((app, access))
    }
}

impl<S, G: Grant> FromRequestParts<S> for InApp<G>
where
    Tenancy: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let atrium = &Tenancy::from_ref(state);
        let signed_in = SignedIn::from_request_parts(parts, state).await?;
        let PathId(id) = PathId::from_request_parts(parts, state).await?;
        let caller = Caller::of(parts);
        caller.wants(Target::App(id.clone()), Some(G::PERMISSION));
        let mut db = atrium.db.read().await?;
        let found = app_store::for_user(&mut db, &id, &signed_in.user().id).await?;
        let visible = found.filter(|(app, access, _)| {
            // A deleted app is only visible to people who could restore it.
            let deleted = app.deleted_at.is_some() && !access.holds(Permission::AppDelete);
            !deleted && access.holds(Permission::AppView)
        });
        let Some((app, access, requirements)) = visible else {
            caller.was_kept_out();
            return Err(Code::NotFound.into());
        };
        requirements.check(&signed_in, &app.org_id)?;
        if !access.holds(G::PERMISSION) {
            return Err(Code::Forbidden.into());
        }
        Ok(Self { signed_in, app, access, grant: PhantomData })
    }
}
