//! All SQL of invitations and requests to join.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use crate::rules;
use atrium_core::db::page::PageOf;
use atrium_core::error::Result;
use atrium_core::http::list::Listing;
use atrium_core::text::Email;
use atrium_core::types::{Id, Millis};

#[derive(Clone, FromRow)]
pub struct InvitationRow {
    pub id: Id,
    pub org_id: Id,
    pub org_name: String,
    pub email: String,
    pub email_normalized: String,
    pub role: String,
    pub app_grants: String,
    pub invited_by: Option<Id>,
    pub inviter: Option<String>,
    pub state: String,
    pub created_at: Millis,
    pub sent_at: Millis,
    pub expires_at: Millis,
}

const INVITATION: &str =
    "SELECT invitations.id, invitations.org_id, organizations.name AS org_name,
        invitations.email, invitations.email_normalized, invitations.role, invitations.app_grants,
        invitations.invited_by, users.name AS inviter, invitations.state, invitations.created_at,
        invitations.sent_at, invitations.expires_at
     FROM invitations JOIN organizations ON organizations.id = invitations.org_id
     LEFT JOIN users ON users.id = invitations.invited_by";

pub struct NewInvitation<'a> {
    pub id: &'a Id,
    pub org_id: &'a Id,
    pub email: &'a Email,
    pub role: &'a str,
    pub app_grants: &'a str,
    pub invited_by: &'a Id,
    pub at: Millis,
    pub expires_at: Millis,
}

/// False when the address already has a pending invitation.
pub async fn insert_invitation(db: &mut AnyConnection, new: NewInvitation<'_>) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO invitations (id, org_id, email, email_normalized, role, app_grants, invited_by,
            state, created_at, sent_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $8, $9) ON CONFLICT DO NOTHING",
    )
    .bind(new.id)
    .bind(new.org_id)
    .bind(&new.email.as_typed)
    .bind(&new.email.normalized)
    .bind(new.role)
    .bind(new.app_grants)
    .bind(new.invited_by)
    .bind(new.at)
    .bind(new.expires_at)
    .execute(db)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Expires pending invitations that are past their time, which makes room for new ones.
pub async fn expire_invitations(db: &mut AnyConnection, org_id: &Id, now: Millis) -> Result<()> {
    sqlx::query(
        "UPDATE invitations SET state = 'expired'
         WHERE org_id = $1 AND state = 'pending' AND expires_at <= $2",
    )
    .bind(org_id)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn invitation(db: &mut AnyConnection, id: &Id) -> Result<Option<InvitationRow>> {
    let sql = format!("{INVITATION} WHERE invitations.id = $1");
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(id).fetch_optional(db).await?)
}

/// `state` is one of the states, or empty for pending and expired ones.
pub async fn invitations(
    db: &mut AnyConnection,
    org_id: &Id,
    state: &str,
    now: Millis,
    listing: &Listing,
) -> Result<(Vec<InvitationRow>, i64)> {
    const FOUND: &str = "WHERE invitations.org_id = $1
         AND (($2 = '' AND invitations.state IN ('pending', 'expired'))
              OR ($2 = 'pending' AND invitations.state = 'pending' AND invitations.expires_at > $4)
              OR ($2 = 'expired' AND (invitations.state = 'expired'
                    OR (invitations.state = 'pending' AND invitations.expires_at <= $4)))
              OR ($2 NOT IN ('pending', 'expired') AND invitations.state = $2))
         AND ($3 = '' OR invitations.email_normalized LIKE $3 ESCAPE '\\')";
    let parameters = [org_id.into(), state.into(), (&listing.pattern).into(), now.into()];
    PageOf::new(parameters, listing.page)
        .fetch(
            db,
            &format!("{INVITATION} {FOUND} ORDER BY {}", listing.order_by),
            &format!("SELECT COUNT(*) FROM invitations {FOUND}"),
        )
        .await
}

/// The invitations waiting for someone at an address.
pub async fn invitations_to(
    db: &mut AnyConnection,
    email: &Email,
    now: Millis,
) -> Result<Vec<InvitationRow>> {
    let sql = format!(
        "{INVITATION} WHERE invitations.email_normalized = $1 AND invitations.state = 'pending'
         AND invitations.expires_at > $2 ORDER BY invitations.created_at DESC LIMIT 100"
    );
    let rows = sqlx::query_as(sqlx::AssertSqlSafe(sql)).bind(&email.normalized).bind(now);
    Ok(rows.fetch_all(db).await?)
}

/// Closes a pending invitation. True for only one of several concurrent callers.
pub async fn close_invitation(
    db: &mut AnyConnection,
    id: &Id,
    state: &str,
    now: Millis,
) -> Result<bool> {
    let closed = sqlx::query(
        "UPDATE invitations SET state = $1
         WHERE id = $2 AND state = 'pending' AND (expires_at > $3 OR $1 = 'revoked')",
    )
    .bind(state)
    .bind(id)
    .bind(now)
    .execute(db)
    .await?;
    Ok(closed.rows_affected() == 1)
}

/// Revokes a person's pending invitations, when they lose the right to invite.
pub async fn revoke_invitations_by(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
) -> Result<()> {
    sqlx::query(
        "UPDATE invitations SET state = 'revoked'
         WHERE org_id = $1 AND invited_by = $2 AND state = 'pending'",
    )
    .bind(org_id)
    .bind(user_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Removes invitations that expired before this time, and requests to join made before it.
pub async fn delete_old_invitations(db: &mut AnyConnection, before: Millis) -> Result<u64> {
    let deleted = sqlx::query("DELETE FROM invitations WHERE expires_at < $1")
        .bind(before)
        .execute(&mut *db)
        .await?;
    let requests =
        sqlx::query("DELETE FROM access_requests WHERE at < $1").bind(before).execute(db).await?;
    Ok(deleted.rows_affected() + requests.rows_affected())
}

/// Makes an invitation pending again. False when it is neither pending nor expired, or when the address
/// has a newer one.
pub async fn renew_invitation(
    db: &mut AnyConnection,
    id: &Id,
    now: Millis,
    expires_at: Millis,
) -> Result<bool> {
    let renewed = sqlx::query(
        "UPDATE invitations SET state = 'pending', sent_at = $1, expires_at = $2
         WHERE id = $3 AND state IN ('pending', 'expired') AND NOT EXISTS (
            SELECT 1 FROM invitations AS newer
            WHERE newer.org_id = invitations.org_id AND newer.id <> invitations.id
              AND newer.email_normalized = invitations.email_normalized AND newer.state = 'pending')",
    )
    .bind(now)
    .bind(expires_at)
    .bind(id)
    .execute(db)
    .await?;
    Ok(renewed.rows_affected() == 1)
}

#[derive(FromRow)]
pub struct JoinableRow {
    pub id: Id,
    pub name: String,
    pub asked_at: Option<Millis>,
}

/// Organizations with an owner at the domain whose address is verified, and without the user.
pub async fn joinable(
    db: &mut AnyConnection,
    user_id: &Id,
    domain: &str,
    only: Option<&Id>,
) -> Result<Vec<JoinableRow>> {
    let sql = format!(
        "SELECT organizations.id, organizations.name, access_requests.at AS asked_at
         FROM organizations
         LEFT JOIN access_requests ON access_requests.org_id = organizations.id
            AND access_requests.user_id = $1
         WHERE organizations.id IN (
                SELECT org_members.org_id FROM org_members
                JOIN users ON users.id = org_members.user_id
                WHERE {} AND users.disabled_at IS NULL
                  AND users.email_verified_at IS NOT NULL AND users.email_normalized LIKE $2 ESCAPE '\\')
           AND organizations.id NOT IN (SELECT org_id FROM org_members WHERE user_id = $1)
           AND ($3 = '' OR organizations.id = $3)
         ORDER BY organizations.name_order, organizations.id LIMIT 20",
        rules::is_owner("org_members.role")
    );
    let domain = domain.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(user_id)
        .bind(format!("%@{domain}"))
        .bind(only.map_or("", Id::as_str))
        .fetch_all(db)
        .await?)
}

/// Records a request to join. False when they already asked since `after`.
pub async fn note_access_request(
    db: &mut AnyConnection,
    org_id: &Id,
    user_id: &Id,
    now: Millis,
    after: Millis,
) -> Result<bool> {
    let noted = sqlx::query(
        "INSERT INTO access_requests (org_id, user_id, at) VALUES ($1, $2, $3)
         ON CONFLICT (org_id, user_id) DO UPDATE SET at = excluded.at WHERE access_requests.at < $4",
    )
    .bind(org_id)
    .bind(user_id)
    .bind(now)
    .bind(after)
    .execute(db)
    .await?;
    Ok(noted.rows_affected() == 1)
}
