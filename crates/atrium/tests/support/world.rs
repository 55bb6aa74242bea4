//! Two organizations with one app each, and a person in every role of both.

use std::collections::BTreeMap;

use atrium::permissions::{BuiltinRole, OrgRole, Permission};
use atrium::token::{hash_text, hash_token};
use atrium::types::Id;
use sqlx::AnyConnection;

use super::{Actor, TestServer};

/// A person's role in an organization, and in its app.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    pub org: Option<OrgRole>,
    pub app: Option<BuiltinRole>,
}

const STANDINGS: [(&str, Standing); 8] = [
    ("nobody", Standing { org: None, app: None }),
    ("member", Standing { org: Some(OrgRole::Member), app: None }),
    ("viewer", Standing { org: Some(OrgRole::Member), app: Some(BuiltinRole::Viewer) }),
    ("analyst", Standing { org: Some(OrgRole::Member), app: Some(BuiltinRole::Analyst) }),
    ("developer", Standing { org: Some(OrgRole::Member), app: Some(BuiltinRole::Developer) }),
    ("app_admin", Standing { org: Some(OrgRole::Member), app: Some(BuiltinRole::Admin) }),
    ("admin", Standing { org: Some(OrgRole::Admin), app: None }),
    ("owner", Standing { org: Some(OrgRole::Owner), app: None }),
];

pub struct Person {
    pub id: Id,
    pub email: String,
    pub actor: Actor,
    pub standing: Standing,
}

impl Person {
    pub fn org_permissions(&self) -> Vec<Permission> {
        self.standing.org.map(OrgRole::permissions).unwrap_or_default()
    }

    pub fn app_permissions(&self) -> Vec<Permission> {
        match self.standing {
            Standing { org: Some(OrgRole::Owner | OrgRole::Admin), .. } => {
                BuiltinRole::Admin.permissions()
            }
            Standing { app: Some(role), .. } => role.permissions(),
            _ => Vec::new(),
        }
    }
}

/// One organization and everything in it.
pub struct Team {
    pub org_id: Id,
    pub app_id: Id,
    /// For paths that name one: a custom role, an invitation, a plain member of team and app, an access key,
    /// and an analysis and a cohort of the app.
    pub role_id: Id,
    pub invitation_id: Id,
    pub target_id: Id,
    pub key_id: String,
    pub analysis_id: Id,
    pub cohort_id: Id,
    /// A mail domain that the team has proven.
    pub domain: String,
    pub people: BTreeMap<&'static str, Person>,
}

impl Team {
    pub fn actor(&self, name: &str) -> &Actor {
        &self.people[name].actor
    }

    pub fn id(&self, name: &str) -> &Id {
        &self.people[name].id
    }
}

impl TestServer {
    /// A person with an account and nothing else, signed in.
    pub async fn person(&self, email: &str) -> (Id, Actor) {
        let id = self.account(email).await;
        self.execute(
            "DELETE FROM apps WHERE org_id IN (SELECT org_id FROM org_members WHERE user_id = $1)",
            id.as_str(),
        )
        .await;
        self.execute(
            "DELETE FROM organizations WHERE id IN (SELECT org_id FROM org_members WHERE user_id = $1)",
            id.as_str(),
        )
        .await;
        (id, self.signed_in(email).await)
    }

    /// A team with a person in every role. Their addresses are at domains of their own, so that nobody
    /// could ask to join by their address.
    pub async fn team(&self, name: &str) -> Team {
        let mut people = BTreeMap::new();
        for (role, standing) in STANDINGS {
            let email = format!("{role}@{}.{name}.test", role.replace('_', "-"));
            let (id, actor) = self.person(&email).await;
            people.insert(role, Person { id, email, actor, standing });
        }
        let team = Team {
            org_id: self.atrium.new_id(),
            app_id: self.atrium.new_id(),
            role_id: self.atrium.new_id(),
            invitation_id: self.atrium.new_id(),
            target_id: self.person(&format!("target@target.{name}.test")).await.0,
            analysis_id: self.atrium.new_id(),
            cohort_id: self.atrium.new_id(),
            key_id: format!("AK{:A<20}", name.to_uppercase()),
            domain: format!("proven.{name}.test"),
            people,
        };
        self.restore(&team).await;
        team
    }

    /// Puts a team back into its first state after any call.
    pub async fn restore(&self, team: &Team) {
        let mut tx = self.atrium.db.write().await.unwrap();
        let db: &mut AnyConnection = &mut tx;
        let org = team.org_id.as_str();
        run(
            db,
            "INSERT INTO organizations (id, name, name_key, timezone, created_at)
            VALUES ($1, 'Team', 'team', 'UTC', 1) ON CONFLICT DO NOTHING",
            &[org],
        )
        .await;
        for statement in [
            "DELETE FROM org_members WHERE org_id = $1",
            "DELETE FROM invitations WHERE org_id = $1",
            "DELETE FROM apps WHERE org_id = $1",
            "DELETE FROM org_domains WHERE org_id = $1",
        ] {
            run(db, statement, &[org]).await;
        }
        run(
            db,
            "INSERT INTO org_domains (org_id, domain, proof, created_at, verified_at, verified_by)
            VALUES ($1, $2, '', 1, 1, 'operator')",
            &[org, &team.domain],
        )
        .await;
        let app = team.app_id.as_str();
        run(db, "INSERT INTO apps (id, org_id, name, name_key, description, region, timezone, created_at)
            VALUES ($1, $2, 'App', 'app', '', 'local', 'UTC', 1)", &[app, org]).await;
        run(
            db,
            "INSERT INTO app_roles (id, app_id, name, name_key, description, created_at)
            VALUES ($1, $2, 'Custom', 'custom', '', 1)",
            &[team.role_id.as_str(), app],
        )
        .await;
        run(
            db,
            "INSERT INTO role_permissions (role_id, permission) VALUES ($1, 'app:view')",
            &[team.role_id.as_str()],
        )
        .await;
        run(db, "INSERT INTO access_keys (id, app_id, name, name_key, secret_sealed, enabled, created_at, reminded)
            VALUES ($1, $2, 'Key', 'key', '', 1, 1, 0)", &[&team.key_id, app]).await;
        run(
            db,
            "INSERT INTO saved_analyses (id, app_id, name, name_key, name_order, kind, question, created_at,
                updated_at, version)
            VALUES ($1, $2, 'Analysis', 'analysis', '', 'trend', '{\"kind\":\"trend\"}', 1, 1, 1)",
            &[team.analysis_id.as_str(), app],
        )
        .await;
        run(
            db,
            "INSERT INTO cohorts (id, app_id, name, name_key, name_order, kind, definition, created_at,
                updated_at, version)
            VALUES ($1, $2, 'Cohort', 'cohort', '', 'rule', '{\"of\":\"rule\",\"all\":[]}', 1, 1, 1)",
            &[team.cohort_id.as_str(), app],
        )
        .await;
        // Both API keys, each with a previous value that still works.
        for (kind, value) in [("collect", "ck_"), ("query", "qk_")] {
            let hash = hash_text(&hash_token(&format!("{value}{app}")));
            run(
                db,
                "INSERT INTO api_keys (id, app_id, kind, value, value_hash, hint, created_at)
                VALUES ('now/' || $4 || $1, $1, $2, $3 || $1, $5, '…', 1)",
                &[app, kind, value, kind, &hash],
            )
            .await;
            run(
                db,
                "INSERT INTO api_keys (id, app_id, kind, value_hash, hint, created_at, valid_until)
                VALUES ('then/' || $4 || $1, $1, $2, 'then/' || $3 || $1, '…', 1, 9000000000000)",
                &[app, kind, value, kind],
            )
            .await;
        }
        run(db, "INSERT INTO invitations (id, org_id, email, email_normalized, role, app_grants, state,
                created_at, sent_at, expires_at)
            VALUES ($1, $2, 'new@new.test', 'new@new.test', 'member', '[]', 'pending', 1, 1, 9000000000000)",
            &[team.invitation_id.as_str(), org]).await;
        let target = Standing { org: Some(OrgRole::Member), app: Some(BuiltinRole::Viewer) };
        let people = team.people.values().map(|person| (&person.id, person.standing));
        for (id, standing) in people.chain([(&team.target_id, target)]) {
            if let Some(role) = standing.org {
                run(db, "INSERT INTO org_members (org_id, user_id, role, joined_at) VALUES ($1, $2, $3, 1)",
                    &[org, id.as_str(), role.as_str()]).await;
            }
            if let Some(role) = standing.app {
                run(db, "INSERT INTO app_members (app_id, user_id, role_id, added_at) VALUES ($1, $2, $3, 1)",
                    &[app, id.as_str(), role.id().as_str()]).await;
            }
        }
        tx.commit().await.unwrap();
    }

    /// Runs a statement with text parameters.
    pub async fn run(&self, statement: &'static str, values: &[&str]) {
        let mut tx = self.atrium.db.write().await.unwrap();
        run(&mut tx, statement, values).await;
        tx.commit().await.unwrap();
    }

    pub async fn text(&self, statement: &'static str, value: &str) -> Option<String> {
        let mut db = self.atrium.db.read().await.unwrap();
        sqlx::query_scalar(statement).bind(value).fetch_optional(&mut *db).await.unwrap()
    }
}

async fn run(db: &mut AnyConnection, statement: &'static str, values: &[&str]) {
    let mut query = sqlx::query(statement);
    for value in values {
        query = query.bind(*value);
    }
    query.execute(db).await.unwrap();
}
