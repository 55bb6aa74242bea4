//! All SQL of single sign-on.

use serde::Serialize;
use sqlx::AnyConnection;
use sqlx_macros::FromRow;
use utoipa::ToSchema;

use crate::rules;
use atrium_core::db::is_unique_violation;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

/// An organization's provider.
#[derive(Clone, FromRow)]
pub struct SsoRow {
    pub org_id: Id,
    pub issuer: String,
    pub client_id: String,
    /// Sealed.
    pub client_secret: String,
    pub default_role: String,
    pub enabled_at: Option<Millis>,
    pub enforced_at: Option<Millis>,
    pub updated_at: Millis,
}

const SSO: &str = "SELECT org_id, issuer, client_id, client_secret, default_role, enabled_at,
        enforced_at, updated_at FROM org_sso";

pub async fn of_org(db: &mut AnyConnection, org_id: &Id) -> Result<Option<SsoRow>> {
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(format!("{SSO} WHERE org_id = $1")))
        .bind(org_id)
        .fetch_optional(db)
        .await?)
}

/// The provider responsible for a domain: that of the organization that verified it, if turned on.
pub async fn by_domain(db: &mut AnyConnection, domain: &str) -> Result<Option<SsoRow>> {
    let sql = format!(
        "{SSO} WHERE enabled_at IS NOT NULL AND org_id = (
            SELECT org_id FROM org_domains WHERE domain = $1 AND verified_at IS NOT NULL)"
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(domain).fetch_optional(db).await?)
}

/// Every provider that is turned on, with its organization's name.
pub async fn enabled(db: &mut AnyConnection) -> Result<Vec<(Id, String, String)>> {
    Ok(sqlx::query_as(
        "SELECT organizations.id, organizations.name, org_sso.issuer FROM org_sso
         JOIN organizations ON organizations.id = org_sso.org_id
         WHERE org_sso.enabled_at IS NOT NULL ORDER BY organizations.name_order, organizations.id",
    )
    .fetch_all(db)
    .await?)
}

pub async fn any_enabled(db: &mut AnyConnection) -> Result<bool> {
    let found: Option<String> =
        sqlx::query_scalar("SELECT org_id FROM org_sso WHERE enabled_at IS NOT NULL LIMIT 1")
            .fetch_optional(db)
            .await?;
    Ok(found.is_some())
}

pub async fn save(db: &mut AnyConnection, row: &SsoRow) -> Result<()> {
    sqlx::query(
        "INSERT INTO org_sso (org_id, issuer, client_id, client_secret, default_role, enabled_at,
            enforced_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (org_id) DO UPDATE SET issuer = excluded.issuer,
            client_id = excluded.client_id, client_secret = excluded.client_secret,
            default_role = excluded.default_role, enabled_at = excluded.enabled_at,
            enforced_at = excluded.enforced_at, updated_at = excluded.updated_at",
    )
    .bind(&row.org_id)
    .bind(&row.issuer)
    .bind(&row.client_id)
    .bind(&row.client_secret)
    .bind(&row.default_role)
    .bind(row.enabled_at)
    .bind(row.enforced_at)
    .bind(row.updated_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes the provider and the identities linked to it. False when there is none.
pub async fn delete(db: &mut AnyConnection, org_id: &Id) -> Result<bool> {
    sqlx::query("DELETE FROM sso_identities WHERE org_id = $1")
        .bind(org_id)
        .execute(&mut *db)
        .await?;
    forget_sessions(db, org_id).await?;
    let deleted =
        sqlx::query("DELETE FROM org_sso WHERE org_id = $1").bind(org_id).execute(db).await?;
    Ok(deleted.rows_affected() == 1)
}

/// Distinguishes an organization's provider from its earlier and later ones. None while it is off.
pub async fn provider_mark(db: &mut AnyConnection, org_id: &Id) -> Result<Option<String>> {
    let row = of_org(db, org_id).await?;
    Ok(row.and_then(|row| {
        let since = row.enabled_at?;
        Some(format!("{} {} {}", row.issuer, row.client_id, since.0))
    }))
}

/// Removes a person's links to an organization's provider.
pub async fn unlink(db: &mut AnyConnection, org_id: &Id, user_id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM sso_identities WHERE org_id = $1 AND user_id = $2")
        .bind(org_id)
        .bind(user_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Sessions that came through a former provider no longer count.
pub async fn forget_sessions(db: &mut AnyConnection, org_id: &Id) -> Result<()> {
    sqlx::query("DELETE FROM session_orgs WHERE org_id = $1").bind(org_id).execute(db).await?;
    Ok(())
}

#[derive(Clone, FromRow)]
pub struct DomainRow {
    pub domain: String,
    pub proof: String,
    pub verified_at: Option<Millis>,
    pub verified_by: Option<String>,
}

pub async fn domains(db: &mut AnyConnection, org_id: &Id) -> Result<Vec<DomainRow>> {
    Ok(sqlx::query_as(
        "SELECT domain, proof, verified_at, verified_by FROM org_domains WHERE org_id = $1
         ORDER BY domain",
    )
    .bind(org_id)
    .fetch_all(db)
    .await?)
}

pub async fn domain(
    db: &mut AnyConnection,
    org_id: &Id,
    domain: &str,
) -> Result<Option<DomainRow>> {
    Ok(sqlx::query_as(
        "SELECT domain, proof, verified_at, verified_by FROM org_domains
         WHERE org_id = $1 AND domain = $2",
    )
    .bind(org_id)
    .bind(domain)
    .fetch_optional(db)
    .await?)
}

/// Whether an organization has verified a domain as its own.
pub async fn owns_domain(db: &mut AnyConnection, org_id: &Id, name: &str) -> Result<bool> {
    Ok(domain(db, org_id, name).await?.is_some_and(|row| row.verified_at.is_some()))
}

/// Whether another organization has verified the domain.
pub async fn is_taken(db: &mut AnyConnection, org_id: &Id, domain: &str) -> Result<bool> {
    let other: Option<String> = sqlx::query_scalar(
        "SELECT org_id FROM org_domains
         WHERE domain = $1 AND verified_at IS NOT NULL AND org_id <> $2",
    )
    .bind(domain)
    .bind(org_id)
    .fetch_optional(db)
    .await?;
    Ok(other.is_some())
}

/// False when the organization already has it.
pub async fn insert_domain(
    db: &mut AnyConnection,
    org_id: &Id,
    domain: &str,
    proof: &str,
    at: Millis,
) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO org_domains (org_id, domain, proof, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (org_id, domain) DO NOTHING",
    )
    .bind(org_id)
    .bind(domain)
    .bind(proof)
    .bind(at)
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// False when another organization was first; the transaction cannot be used any further then.
pub async fn verify_domain(
    db: &mut AnyConnection,
    org_id: &Id,
    domain: &str,
    by: &str,
    at: Millis,
) -> Result<bool> {
    let updated = sqlx::query(
        "UPDATE org_domains SET verified_at = $1, verified_by = $2
         WHERE org_id = $3 AND domain = $4 AND verified_at IS NULL",
    )
    .bind(at)
    .bind(by)
    .bind(org_id)
    .bind(domain)
    .execute(db)
    .await;
    match updated {
        Ok(_) => Ok(true),
        Err(error) if is_unique_violation(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

pub async fn delete_domain(db: &mut AnyConnection, org_id: &Id, domain: &str) -> Result<bool> {
    let deleted = sqlx::query("DELETE FROM org_domains WHERE org_id = $1 AND domain = $2")
        .bind(org_id)
        .bind(domain)
        .execute(db)
        .await?;
    Ok(deleted.rows_affected() == 1)
}

/// The user behind a provider's subject.
#[derive(FromRow)]
pub struct IdentityRow {
    pub user_id: Id,
    /// The name the provider last gave.
    pub name: String,
}

/// A provider's user within an organization.
#[derive(Clone, Copy)]
pub struct IdentityKey<'a> {
    pub org_id: &'a Id,
    pub issuer: &'a str,
    pub subject: &'a str,
}

pub async fn identity(db: &mut AnyConnection, key: IdentityKey<'_>) -> Result<Option<IdentityRow>> {
    Ok(sqlx::query_as(
        "SELECT user_id, name FROM sso_identities
         WHERE org_id = $1 AND issuer = $2 AND subject = $3",
    )
    .bind(key.org_id)
    .bind(key.issuer)
    .bind(key.subject)
    .fetch_optional(db)
    .await?)
}

/// False when the subject is already linked.
pub async fn insert_identity(
    db: &mut AnyConnection,
    key: IdentityKey<'_>,
    user_id: &Id,
    name: &str,
    at: Millis,
) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO sso_identities (org_id, issuer, subject, user_id, name, linked_at, last_used_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT DO NOTHING",
    )
    .bind(key.org_id)
    .bind(key.issuer)
    .bind(key.subject)
    .bind(user_id)
    .bind(name)
    .bind(at)
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

pub async fn note_use(
    db: &mut AnyConnection,
    key: IdentityKey<'_>,
    name: &str,
    at: Millis,
) -> Result<()> {
    sqlx::query(
        "UPDATE sso_identities SET name = $4, last_used_at = $5
         WHERE org_id = $1 AND issuer = $2 AND subject = $3",
    )
    .bind(key.org_id)
    .bind(key.issuer)
    .bind(key.subject)
    .bind(name)
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// Who depends on an organization's provider.
#[derive(FromRow)]
pub struct Reach {
    /// Members who have come through it.
    pub linked: i64,
    /// Members it would lock out if it were the only way in; owners always have another.
    pub unlinked: i64,
    /// Linked members with no other way to sign in. A mail to set a password does not count.
    pub only_way: i64,
}

/// Other ways to sign in that this instance offers.
pub struct OtherWays {
    pub passkeys: bool,
    pub wechatwork: bool,
    pub feishu: bool,
}

pub async fn reach(
    db: &mut AnyConnection,
    org_id: &Id,
    issuer: &str,
    others: &OtherWays,
) -> Result<Reach> {
    let sql = format!(
        "SELECT COUNT(CASE WHEN linked THEN 1 END) AS linked,
            COUNT(CASE WHEN NOT linked AND NOT {} THEN 1 END) AS unlinked,
            COUNT(CASE WHEN linked AND NOT other_way THEN 1 END) AS only_way
         FROM (
            SELECT org_members.role AS role,
                EXISTS (SELECT 1 FROM sso_identities
                    WHERE sso_identities.org_id = org_members.org_id
                        AND sso_identities.user_id = users.id
                        AND sso_identities.issuer = $2) AS linked,
                users.password_hash IS NOT NULL
                    OR ($3 AND EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = users.id))
                    OR EXISTS (SELECT 1 FROM chat_bindings
                        WHERE chat_bindings.user_id = users.id
                            AND (($4 AND chat_bindings.provider = 'wechatwork')
                                OR ($5 AND chat_bindings.provider = 'feishu')))
                    OR EXISTS (SELECT 1 FROM sso_identities AS elsewhere
                        JOIN org_sso ON org_sso.org_id = elsewhere.org_id
                            AND org_sso.issuer = elsewhere.issuer
                            AND org_sso.enabled_at IS NOT NULL
                        JOIN org_members AS there ON there.org_id = elsewhere.org_id
                            AND there.user_id = elsewhere.user_id
                        WHERE elsewhere.user_id = users.id
                            AND elsewhere.org_id <> org_members.org_id) AS other_way
            FROM org_members JOIN users ON users.id = org_members.user_id
            WHERE org_members.org_id = $1
         ) AS members",
        rules::is_exempt_from_sso("role")
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(org_id)
        .bind(issuer)
        .bind(others.passkeys)
        .bind(others.wechatwork)
        .bind(others.feishu)
        .fetch_one(db)
        .await?)
}

/// An organization that the person is linked to and whose single sign-on is on.
#[derive(Clone, Debug, Serialize, ToSchema, FromRow)]
pub struct LinkedOrg {
    pub org_id: Id,
    pub org_name: String,
}

/// The organizations through whose providers someone can sign in.
pub async fn linked(db: &mut AnyConnection, user_id: &Id) -> Result<Vec<LinkedOrg>> {
    Ok(sqlx::query_as(
        "SELECT DISTINCT organizations.id AS org_id, organizations.name AS org_name,
            organizations.name_order
         FROM sso_identities
         JOIN org_sso ON org_sso.org_id = sso_identities.org_id
            AND org_sso.issuer = sso_identities.issuer AND org_sso.enabled_at IS NOT NULL
         JOIN org_members ON org_members.org_id = sso_identities.org_id
            AND org_members.user_id = sso_identities.user_id
         JOIN organizations ON organizations.id = sso_identities.org_id
         WHERE sso_identities.user_id = $1 ORDER BY organizations.name_order, organizations.id",
    )
    .bind(user_id)
    .fetch_all(db)
    .await?)
}

/// What providers said about someone, for that person's data export.
#[derive(FromRow, serde::Serialize)]
pub struct OwnIdentity {
    pub org_id: Id,
    pub issuer: String,
    pub subject: String,
    pub name: String,
    pub linked_at: Millis,
    pub last_used_at: Millis,
}

pub async fn identities_of(db: &mut AnyConnection, user_id: &Id) -> Result<Vec<OwnIdentity>> {
    Ok(sqlx::query_as(
        "SELECT org_id, issuer, subject, name, linked_at, last_used_at FROM sso_identities
         WHERE user_id = $1 ORDER BY linked_at, org_id",
    )
    .bind(user_id)
    .fetch_all(db)
    .await?)
}
