//! All SQL for reading the audit log.

use sqlx::AnyConnection;
use sqlx_macros::FromRow;

use atrium_core::db::page::Page;
use atrium_core::db::page::PageOf;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

/// Whose log.
#[derive(Clone, Copy)]
pub enum AuditScope<'a> {
    Org(&'a Id),
    App(&'a Id),
}

impl AuditScope<'_> {
    fn column(&self) -> &'static str {
        match self {
            Self::Org(_) => "audit_entries.org_id",
            Self::App(_) => "audit_entries.app_id",
        }
    }

    fn id(&self) -> &Id {
        match self {
            Self::Org(id) | Self::App(id) => id,
        }
    }
}

/// Empty texts do not filter.
#[derive(Clone, Debug)]
pub struct Filter {
    pub actor: String,
    pub actor_pattern: String,
    pub action_pattern: String,
    pub target: String,
    pub from: Millis,
    pub to: Millis,
}

#[derive(FromRow)]
pub struct AuditRow {
    pub id: Id,
    pub at: Millis,
    pub actor_kind: String,
    pub actor_id: Option<Id>,
    pub actor_name: Option<String>,
    pub actor_email: Option<String>,
    pub action: String,
    pub target_kind: String,
    pub target_id: Option<String>,
    pub target_name: Option<String>,
    pub app_id: Option<Id>,
    pub app_name: Option<String>,
    pub details: String,
    pub ip: Option<String>,
    pub user_agent: Option<String>,
}

const TOLD: &str = "SELECT audit_entries.id, audit_entries.at, audit_entries.actor_kind,
        audit_entries.actor_id, actors.name AS actor_name, actors.email AS actor_email,
        audit_entries.action, audit_entries.target_kind, audit_entries.target_id,
        COALESCE(target_users.name, target_apps.name) AS target_name, audit_entries.app_id,
        entry_apps.name AS app_name, audit_entries.details, audit_entries.ip, audit_entries.user_agent";

const JOINS: &str = "LEFT JOIN users AS actors ON actors.id = audit_entries.actor_id
     LEFT JOIN users AS target_users ON target_users.id = audit_entries.target_id
     LEFT JOIN apps AS target_apps ON target_apps.id = audit_entries.target_id
     LEFT JOIN apps AS entry_apps ON entry_apps.id = audit_entries.app_id";

const FOUND: &str = "audit_entries.at >= $2 AND audit_entries.at < $3
     AND ($4 = '' OR audit_entries.actor_id = $4
          OR actors.name_key LIKE $5 ESCAPE '\\' OR actors.email_normalized LIKE $5 ESCAPE '\\')
     AND ($6 = '' OR audit_entries.action LIKE $6 ESCAPE '\\')
     AND ($7 = '' OR audit_entries.target_id = $7)";

/// How many entries are counted at most when searching people by words.
const COUNTED: i64 = 10_000;

pub async fn list(
    db: &mut AnyConnection,
    scope: &AuditScope<'_>,
    filter: &Filter,
    page: Page,
) -> Result<(Vec<AuditRow>, i64)> {
    let column = scope.column();
    let rows = format!(
        "{TOLD} FROM audit_entries {JOINS} WHERE {column} = $1 AND {FOUND}
         ORDER BY audit_entries.at DESC, audit_entries.seq DESC"
    );
    // Counting joins the people only when the filter is about their names.
    let count = match filter.actor.as_str() {
        "" => format!(
            "SELECT COUNT(*) FROM audit_entries WHERE {column} = $1
             AND audit_entries.at >= $2 AND audit_entries.at < $3 AND $4 = '' AND $5 = ''
             AND ($6 = '' OR audit_entries.action LIKE $6 ESCAPE '\\')
             AND ($7 = '' OR audit_entries.target_id = $7)"
        ),
        // A search for words of a name must scan every entry, so the count is limited.
        _ => format!(
            "SELECT COUNT(*) FROM (SELECT 1 FROM audit_entries LEFT JOIN users AS actors
                ON actors.id = audit_entries.actor_id WHERE {column} = $1 AND {FOUND}
                LIMIT {COUNTED}) AS counted"
        ),
    };
    let parameters = [
        scope.id().into(),
        filter.from.into(),
        filter.to.into(),
        (&filter.actor).into(),
        (&filter.actor_pattern).into(),
        (&filter.action_pattern).into(),
        (&filter.target).into(),
    ];
    PageOf::new(parameters, page).fetch(db, &rows, &count).await
}

/// The next entries after one, oldest first, for walking the log in an export.
pub async fn after(
    db: &mut AnyConnection,
    scope: &AuditScope<'_>,
    filter: &Filter,
    last: (Millis, &str),
    limit: i64,
) -> Result<Vec<AuditRow>> {
    let sql = format!(
        "{TOLD} FROM audit_entries {JOINS} WHERE {} = $1 AND {FOUND}
         AND (audit_entries.at > $8 OR (audit_entries.at = $8 AND audit_entries.id > $9))
         ORDER BY audit_entries.at, audit_entries.id LIMIT $10",
        scope.column()
    );
    Ok(sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(scope.id())
        .bind(filter.from)
        .bind(filter.to)
        .bind(&filter.actor)
        .bind(&filter.actor_pattern)
        .bind(&filter.action_pattern)
        .bind(&filter.target)
        .bind(last.0)
        .bind(last.1)
        .bind(limit)
        .fetch_all(db)
        .await?)
}
