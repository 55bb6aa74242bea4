//! All SQL of bound accounts.

use serde::Serialize;
use sqlx::AnyConnection;
use sqlx_macros::FromRow;
use utoipa::ToSchema;

use atrium_core::chat_provider::Provider;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

#[derive(FromRow)]
pub struct BindingRow {
    pub provider: String,
    pub tenant: String,
    pub subject: String,
    pub union_id: Option<String>,
    pub name: String,
    pub bound_at: Millis,
}

const BINDING: &str = "SELECT provider, tenant, subject, union_id, name, bound_at \
    FROM chat_bindings";

pub async fn bindings(db: &mut AnyConnection, user_id: &Id) -> Result<Vec<BindingRow>> {
    let sql = format!("{BINDING} WHERE user_id = $1 ORDER BY provider");
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(user_id).fetch_all(db).await?)
}

pub async fn binding(
    db: &mut AnyConnection,
    user_id: &Id,
    provider: Provider,
) -> Result<Option<BindingRow>> {
    let rows = bindings(db, user_id).await?;
    Ok(rows.into_iter().find(|row| row.provider == provider.as_str()))
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Bindings {
    pub wechatwork: Option<Binding>,
    pub feishu: Option<Binding>,
}

/// A bound work-chat account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Binding {
    pub name: String,
    pub bound_at: Millis,
}

/// The bindings, as in GET /current.
pub async fn bindings_view(db: &mut AnyConnection, user_id: &Id) -> Result<Bindings> {
    let mut view = Bindings { wechatwork: None, feishu: None };
    for row in bindings(db, user_id).await? {
        let binding = Some(Binding { name: row.name, bound_at: row.bound_at });
        match row.provider.as_str() {
            "wechatwork" => view.wechatwork = binding,
            _ => view.feishu = binding,
        }
    }
    Ok(view)
}

/// A person as the provider knows them.
pub struct Person {
    /// The company at the provider.
    pub tenant: String,
    pub subject: String,
    pub union_id: Option<String>,
    pub name: String,
}

/// The user who bound this account.
pub async fn bound_by(
    db: &mut AnyConnection,
    provider: Provider,
    person: &Person,
) -> Result<Option<Id>> {
    Ok(sqlx::query_scalar(
        "SELECT user_id FROM chat_bindings WHERE provider = $1 AND tenant = $2 AND subject = $3",
    )
    .bind(provider.as_str())
    .bind(&person.tenant)
    .bind(&person.subject)
    .fetch_optional(db)
    .await?)
}

/// False when the account is already bound, or the user has one of this provider.
pub async fn bind(
    db: &mut AnyConnection,
    user_id: &Id,
    provider: Provider,
    person: &Person,
    now: Millis,
) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO chat_bindings (provider, tenant, subject, union_id, user_id, name, bound_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
    )
    .bind(provider.as_str())
    .bind(&person.tenant)
    .bind(&person.subject)
    .bind(&person.union_id)
    .bind(user_id)
    .bind(&person.name)
    .bind(now)
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

pub async fn unbind(db: &mut AnyConnection, user_id: &Id, provider: Provider) -> Result<()> {
    sqlx::query("DELETE FROM chat_bindings WHERE user_id = $1 AND provider = $2")
        .bind(user_id)
        .bind(provider.as_str())
        .execute(db)
        .await?;
    Ok(())
}

/// Whether the user can sign in through the provider of one of their organizations.
pub async fn comes_by_sso(db: &mut AnyConnection, user_id: &Id) -> Result<bool> {
    let linked: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM sso_identities
         JOIN org_sso ON org_sso.org_id = sso_identities.org_id
            AND org_sso.issuer = sso_identities.issuer AND org_sso.enabled_at IS NOT NULL
         JOIN org_members ON org_members.org_id = sso_identities.org_id
            AND org_members.user_id = sso_identities.user_id
         WHERE sso_identities.user_id = $1",
    )
    .bind(user_id)
    .fetch_one(db)
    .await?;
    Ok(linked > 0)
}
