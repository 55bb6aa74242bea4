//! Erasures with more than one instance. `ingest.rs` tests what an erasure removes.

use serde_json::json;

use crate::loaders::lease_of;
use crate::support::sender::event;
use crate::support::{Store, TestServer, in_both_sizes, on_both};
use atrium::collect::loader;
use atrium::erasures::run::run_due;
use atrium::lease::Lease;

const MINUTE: i64 = 60 * 1_000;

in_both_sizes! {
    async fn an_instance_that_lost_its_lease_erases_nothing_more(server: TestServer) {
        let other = server.second_instance_on_same_engine().await;
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let key = server.collect_key(app).await;
        server.collect(&key, json!([event(&server, "a")])).await;
        while loader::turn(&server.atrium, &server.atrium.collector.spool).await.unwrap() != loader::Turn::Idle {}
        let path = format!("/api/v1/apps/{app}/erasures");
        for subject in ["anna", "ben"] {
            let answer = owner.post(&path, json!({ "kind": "user", "subject": subject })).await;
            assert_eq!(answer.status, 200, "{answer:?}");
        }
        // A loader holds the partition for long, and both instances wait for it in the middle of the first
        // erasure.
        let partition = lease_of(&team.app_id);
        server.run("INSERT INTO leases (name, holder, held_until) VALUES ($1, 'somebody', 4000000000000)
                    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until", &[&partition]).await;
        let (state, tries) = (server.atrium.clone(), "SELECT CAST(SUM(tries) AS BIGINT) FROM erasures");
        let first = tokio::spawn(async move { run_due(&state).await });
        server.until_count(tries, 1).await;
        for instance in [&server, &other] {
            instance.clock.advance(MINUTE);
        }
        let state = other.atrium.clone();
        let second = tokio::spawn(async move { run_due(&state).await });
        server.until_count(tries, 2).await;
        server.run("UPDATE leases SET held_until = 0 WHERE name = $1", &[&partition]).await;
        assert_eq!(first.await.unwrap().unwrap(), 0, "the lease is the other's");
        assert_eq!(second.await.unwrap().unwrap(), 2);
        assert_eq!(server.count(tries).await, 3);
        assert_eq!(server.count("SELECT COUNT(*) FROM erasures WHERE state = 'done'").await, 2);
    }
}

on_both! {
    async fn a_lease_that_another_had_in_the_meantime_is_lost(server: TestServer) {
        let take = |holder: &'static str| Lease::take(&server.atrium, "erasures", holder);
        let first = take("first").await.unwrap().unwrap();
        server.clock.advance(MINUTE);
        first.renew(&server.atrium).await.expect("nobody took it");
        server.clock.advance(MINUTE);
        let second = take("second").await.unwrap().unwrap();
        assert!(first.renew(&server.atrium).await.is_err());
        second.release(&server.atrium).await.unwrap();
        assert!(first.renew(&server.atrium).await.is_err(), "the other may have done the work");
        assert!(take("first").await.unwrap().is_some());
    }
}
