//! Two releases side by side: who may change the event store's tables, and what is counted again.

use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};

use crate::ingest::{drain, number};
use crate::support::sender::event;
use crate::support::world::Team;
use crate::support::{Store, TestServer, in_both_sizes};
use atrium::collect::recount;
use atrium::config::Settings;
use atrium::db::Schema;
use atrium::fleet::heartbeat;
use atrium::instance::doctor;
use atrium::lease::Lease;

/// Leaves the tables as the previous release made them.
async fn wind_back(server: &TestServer) {
    let sql = "DELETE FROM schema_migrations WHERE number = 8";
    server.atrium.warehouse.ready(Duration::from_secs(60)).await.unwrap();
    server.atrium.warehouse.execute(sql, &[]).await.unwrap();
}

const APPLIED: &str = "(SELECT count() FROM schema_migrations WHERE number = 8)";

in_both_sizes! {
    async fn one_instance_at_a_time_changes_the_event_store(server: TestServer) {
        wind_back(&server).await;
        let held = Lease::take(&server.atrium, "event_schema", "another").await.unwrap().unwrap();
        let waiting = server.second_instance_on_same_engine().await;
        let ready = waiting.atrium.warehouse.ready(Duration::from_millis(500)).await;
        assert!(ready.is_err());
        assert_eq!(number(&server, APPLIED).await, 0);
        held.release(&server.atrium).await.unwrap();
        let others = [(); 3].map(|()| server.second_instance_on_same_engine());
        let others = join_all(others).await;
        let starts = others.iter().map(|it| it.atrium.warehouse.ready(Duration::from_secs(60)));
        for started in join_all(starts).await {
            started.unwrap();
        }
        waiting.atrium.warehouse.ready(Duration::from_secs(60)).await.unwrap();
        assert_eq!(number(&server, APPLIED).await, 1, "nobody did what another had done");
    }
}

in_both_sizes! {
    async fn an_instance_says_what_it_knows(server: TestServer) {
        heartbeat::beat(&server.atrium).await.unwrap();
        let db = &server.atrium.db;
        let below = async |schema, migration| {
            let mut connection = db.read().await.unwrap();
            atrium::db::running_below(db, &mut connection, schema, migration).await.unwrap().len()
        };
        let newest = atrium::db::newest_migration();
        assert_eq!(below(Schema::Database, newest).await, 0);
        assert_eq!(below(Schema::Database, newest + 1).await, 1);
        let newest = i64::from(warehouse::newest_migration());
        assert_eq!(below(Schema::EventStore, newest).await, 0);
        assert_eq!(below(Schema::EventStore, newest + 1).await, 1);
    }
}

async fn totals(server: &TestServer, team: &Team) -> Value {
    let owner = team.actor("owner").at(&server.url);
    let today = jiff::Timestamp::from_millisecond(server.atrium.now().0).unwrap();
    let today = today.to_zoned(jiff::tz::TimeZone::UTC).date();
    let [start, end] = [today.yesterday(), today.tomorrow()].map(|day| day.unwrap().to_string());
    let body = json!({ "start": start, "end": end, "timezone": "UTC" });
    let answer = owner.post(&format!("/api/v1/orgs/{}/data-overall", team.org_id), body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let data = &answer.body["data"];
    json!([data["totals"], data["top_events"], data["breakdowns"], data["series"]])
}

in_both_sizes! {
    async fn what_is_counted_anew_is_counted_once_and_shown_all_the_time(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        for name in ["a", "b", "c"] {
            let answer = server.collect(&key, json!([event(&server, name)])).await;
            assert_eq!(answer.status, 200, "{answer:?}");
        }
        drain(&server).await;
        let shown = totals(&server, &team).await;
        // As if the hourly tables had come with a release just now.
        for sql in [
            "TRUNCATE TABLE totals_1h",
            "TRUNCATE TABLE events_1h",
            "TRUNCATE TABLE breakdowns_1h",
            "INSERT INTO recounts SELECT 'hours', app_id, toYYYYMM(bucket), 0 FROM totals_15m",
        ] {
            server.atrium.warehouse.execute(sql, &[]).await.unwrap();
        }
        let (one, other) = (
            server.second_instance_on_same_engine().await,
            server.second_instance_on_same_engine().await,
        );
        for instance in [&one, &other] {
            assert_eq!(totals(instance, &team).await, shown, "before anybody has looked");
            instance.atrium.warehouse.ready(Duration::from_secs(60)).await.unwrap();
            assert_eq!(totals(instance, &team).await, shown);
            assert!(!instance.atrium.warehouse.is_everything_counted());
        }
        let found = doctor::examine(&Settings::check(one.raw_settings()).unwrap()).await;
        if server.store == Store::Sqlite {
            let is_reported = found.iter().any(|it| it.what == "events" && it.text.contains("1 parts"));
            assert!(is_reported, "{found:#?}");
        }
        let (first, second) =
            tokio::join!(recount::run_due(&one.atrium), recount::run_due(&other.atrium));
        assert_eq!(first.unwrap() + second.unwrap(), 1);
        assert_eq!(number(&server, "(SELECT sum(events) FROM events_1h)").await, 3);
        assert_eq!(number(&server, "(SELECT sum(events) FROM breakdowns_1h)").await, 12);
        for instance in [&one, &other] {
            assert_eq!(recount::run_due(&instance.atrium).await.unwrap(), 0);
            assert!(instance.atrium.warehouse.is_everything_counted());
            assert_eq!(totals(instance, &team).await, shown);
        }
    }
}
