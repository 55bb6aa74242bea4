//! Keys: API keys and their resets, access keys and their secrets, reminders, and use.

use atrium::keys;
use atrium::store::keys::{by_collect_key, by_query_key};
use serde_json::{Value, json};

use crate::support::world::Team;
use crate::support::{Actor, Answer, TestServer};

mod access_keys;
mod api_keys;
mod uses;

/// A team whose app has its two API keys and nothing else.
async fn team(server: &TestServer) -> Team {
    let team = server.team("one").await;
    server.run("DELETE FROM access_keys WHERE app_id = $1", &[team.app_id.as_str()]).await;
    server.run("DELETE FROM api_keys WHERE app_id = $1", &[team.app_id.as_str()]).await;
    keys::fill_missing(&server.atrium).await.unwrap();
    team
}

fn app(team: &Team, rest: &str) -> String {
    format!("/api/v1/apps/{}{rest}", team.app_id)
}

async fn create(actor: &Actor, team: &Team, name: &str) -> Answer {
    actor.post(&app(team, "/access-keys"), json!({ "name": name })).await
}

async fn reset(actor: &Actor, team: &Team, kinds: &[&str], grace_hours: i64) -> Answer {
    let body = json!({ "kinds": kinds, "grace_hours": grace_hours });
    actor.put(&app(team, "/api-keys"), body).await
}

async fn list(actor: &Actor, team: &Team) -> Value {
    let answer = actor.get(&app(team, "/api-keys")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body["data"]["items"].clone()
}

/// Whether this value would be accepted now.
async fn works(server: &TestServer, value: &str) -> bool {
    let mut db = server.atrium.db.read().await.unwrap();
    let found = match value.starts_with("ck_") {
        true => by_collect_key(&mut db, value).await.unwrap(),
        false => by_query_key(&mut db, value).await.unwrap(),
    };
    found.is_some_and(|key| key.valid_until.is_none_or(|until| server.atrium.now() < until))
}

/// The logged actions, sorted by name: entries of the same moment have no order.
async fn actions(team: &Team, filter: &str) -> Vec<String> {
    let path = format!("/api/v1/orgs/{}/audit-logs?page_size=100&{filter}", team.org_id);
    let log = team.actor("owner").get(&path).await;
    let items = log.body["data"]["items"].as_array().unwrap().clone();
    let mut actions: Vec<String> =
        items.iter().map(|it| it["action"].as_str().unwrap().to_owned()).collect();
    actions.sort();
    actions
}

/// Every text of every row of every table, as a thief of the database would read it.
async fn whole_database(server: &TestServer) -> String {
    let mut db = server.atrium.db.read().await.unwrap();
    let mut all = String::new();
    for statement in [
        "SELECT details || COALESCE(target_id, '') FROM audit_entries",
        "SELECT COALESCE(value, '') || value_hash || hint FROM api_keys",
        "SELECT id || name || secret_sealed FROM access_keys",
        "SELECT notice FROM notifications",
    ] {
        let rows: Vec<String> = sqlx::query_scalar(statement).fetch_all(&mut *db).await.unwrap();
        all.push_str(&rows.join("\n"));
    }
    all
}
