//! The bell: a person's notifications in the console.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;
use utoipa::{IntoParams, ToSchema};

use crate::session::SignedIn;
use crate::state::Tenancy;
use crate::store::notifications::{self as store, NotificationRow};
use atrium_core::db::page::Page;
use atrium_core::error::{Code, Fault, Result};
use atrium_core::http::json::{Data, Json, Query};
use atrium_core::http::page::PageQuery;
use atrium_core::locale::Locale;
use atrium_core::notices::Notice;
use atrium_core::types::{Id, Millis};

#[derive(Serialize, ToSchema)]
pub struct NotificationView {
    id: Id,
    /// The type in the person's notification settings.
    #[serde(rename = "type")]
    kind_of: String,
    /// What exactly happened.
    kind: String,
    /// In the language of the request.
    title: String,
    text: String,
    /// The related console page.
    link: Option<String>,
    created_at: Millis,
    read_at: Option<Millis>,
}

impl NotificationView {
    /// None for a notification that another version wrote and this one cannot read.
    fn new(row: NotificationRow, locale: Locale) -> Option<Self> {
        let notice: Notice = serde_json::from_str(&row.notice).ok()?;
        let kind: serde_json::Value = serde_json::from_str(&row.notice).ok()?;
        let words = notice.words(locale);
        Some(Self {
            id: row.id,
            kind_of: notice.kind().to_owned(),
            kind: kind["kind"].as_str().unwrap_or_default().to_owned(),
            title: words.title,
            text: words.text,
            link: notice.link(),
            created_at: row.created_at,
            read_at: row.read_at,
        })
    }
}

/// All notifications, for a person's data export.
pub async fn all_of(
    db: &mut AnyConnection,
    user_id: &Id,
    locale: Locale,
    page: Page,
) -> Result<Vec<NotificationView>> {
    let (rows, _) = store::list(db, user_id, false, page).await?;
    Ok(rows.into_iter().filter_map(|row| NotificationView::new(row, locale)).collect())
}

#[derive(Serialize, ToSchema)]
pub struct Notifications {
    items: Vec<NotificationView>,
    total: i64,
    unread: i64,
}

#[derive(Serialize, ToSchema)]
pub struct Unread {
    unread: i64,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct UnreadQuery {
    /// Only those not read yet.
    unread: Option<bool>,
    // serde_html_form cannot flatten numbers, so the page's fields are repeated here.
    #[param(minimum = 1, default = 1)]
    page: Option<i64>,
    #[param(minimum = 1, maximum = 100, default = 20)]
    page_size: Option<i64>,
}

/// The person's notifications, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/current/notifications",
    operation_id = "notification_list",
    tag = "account",
    security(("session" = [])),
    params(UnreadQuery),
    responses((status = 200, body = Data<Notifications>))
)]
pub async fn notification_list(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    locale: Locale,
    Query(query): Query<UnreadQuery>,
) -> Result<Data<Notifications>> {
    let page = PageQuery::new(query.page, query.page_size).check()?;
    let user_id = &signed_in.user().id;
    let mut db = atrium.db.read().await?;
    let only_unread = query.unread.unwrap_or(false);
    let (rows, total) = store::list(&mut db, user_id, only_unread, page).await?;
    let unread = store::unread(&mut db, user_id).await?;
    let items = rows.into_iter().filter_map(|row| NotificationView::new(row, locale)).collect();
    Ok(Data(Notifications { items, total, unread }))
}

/// How many notifications the person has not read, for the bell.
#[utoipa::path(
    get,
    path = "/api/v1/current/notifications/unread",
    operation_id = "notification_unread_view",
    tag = "account",
    security(("session" = [])),
    responses((status = 200, body = Data<Unread>))
)]
pub async fn notification_unread_view(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
) -> Result<Data<Unread>> {
    let unread = store::unread(&mut *atrium.db.read().await?, &signed_in.user().id).await?;
    Ok(Data(Unread { unread }))
}

#[derive(Deserialize, ToSchema)]
pub struct MarkRead {
    /// Which ones to mark; all of them unless given. At most 100.
    #[schema(max_items = 100)]
    ids: Option<Vec<Id>>,
}

/// Marks notifications as read. Ids that are not the person's own are ignored.
#[utoipa::path(
    post,
    path = "/api/v1/current/notifications/read",
    operation_id = "notification_mark_read",
    tag = "account",
    security(("session" = [])),
    request_body = MarkRead,
    responses((status = 200, body = Data<Unread>))
)]
pub async fn notification_mark_read(
    State(atrium): State<Tenancy>,
    signed_in: SignedIn,
    Json(input): Json<MarkRead>,
) -> Result<Data<Unread>> {
    let (user_id, now) = (&signed_in.user().id, atrium.now());
    let mut tx = atrium.db.write_uncached().await?;
    match input.ids {
        None => store::mark_read(&mut tx, user_id, None, now).await?,
        Some(ids) if ids.len() > 100 => {
            return Err(Fault::new(Code::OutOfRange)
                .on("ids")
                .with("min", 0)
                .with("max", 100)
                .into());
        }
        Some(ids) => {
            for id in &ids {
                store::mark_read(&mut tx, user_id, Some(id), now).await?;
            }
        }
    }
    let unread = store::unread(&mut tx, user_id).await?;
    tx.commit().await?;
    Ok(Data(Unread { unread }))
}
