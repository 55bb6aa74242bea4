//! The audit log: written in the transaction of the change, chained, and it shows an edit by hand.

use crate::support::{PASSWORD, Store, TestServer, on_both};
use atrium::audit;
use futures::future::join_all;
use serde_json::json;

async fn faults(server: &TestServer) -> Vec<audit::ChainFault> {
    let mut db = server.atrium.db.read().await.unwrap();
    audit::verify(&mut db, &server.atrium.keyring).await.unwrap().1
}

on_both! {
    async fn accounts_and_sign_ins_are_recorded(server: TestServer) {
        let jane = server.owner("jane@example.com").await;
        jane.post("/api/v1/logout", json!({})).await;
        server.anonymous().login("jane@example.com", "wrong password").await;
        let mut db = server.atrium.db.read().await.unwrap();
        let actions: Vec<(String, String)> =
            sqlx::query_as("SELECT action, actor_kind FROM audit_entries ORDER BY action")
                .fetch_all(&mut *db)
                .await
                .unwrap();
        let actions: Vec<(&str, &str)> = actions.iter().map(|(a, k)| (&**a, &**k)).collect();
        assert_eq!(actions, [
            ("account.create", "operator"),
            // The first account becomes an operator.
            ("account.operator_add", "operator"),
            ("account.sign_in", "user"),
            ("account.sign_in_failed", "anonymous"),
            ("account.sign_out", "user"),
            ("app.create", "operator"),
            ("org.create", "operator"),
        ]);
        let secrets = server
            .count("SELECT COUNT(*) FROM audit_entries WHERE details LIKE '%correct horse%' OR details LIKE '%argon2%'")
            .await;
        assert_eq!(secrets, 0);
    }
}

on_both! {
    async fn parallel_entries_form_one_chain(server: TestServer) {
        for n in 0..12 {
            server.account(&format!("person{n}@example.com")).await;
        }
        let sign_ins = (0..12).map(|n| {
            let person = server.anonymous();
            async move { person.login(&format!("person{n}@example.com"), PASSWORD).await.status }
        });
        assert_eq!(join_all(sign_ins).await, [200; 12]);
        assert_eq!(faults(&server).await, []);
        let chain = "SELECT COUNT(*) FROM audit_entries WHERE chain = 'instance'";
        // Twelve accounts were made, the first became an operator, and all twelve signed in.
        assert_eq!(server.count(chain).await, 25);
    }
}

on_both! {
    async fn an_edit_by_hand_shows(server: TestServer) {
        let jane = server.owner("jane@example.com").await;
        jane.post("/api/v1/logout", json!({})).await;
        assert_eq!(faults(&server).await, []);

        server.execute("UPDATE audit_entries SET ip = '8.8.8.8' WHERE action = $1", "account.sign_in").await;
        let found = faults(&server).await;
        assert_eq!((found[0].chain.as_str(), found[0].seq, found[0].what), ("instance", 3, "was changed"));

        server.execute("DELETE FROM audit_entries WHERE action = $1", "account.sign_in").await;
        assert_eq!(faults(&server).await[0].what, "is missing");
    }
}

on_both! {
    async fn a_missing_end_shows(server: TestServer) {
        server.owner("jane@example.com").await;
        server.execute("DELETE FROM audit_entries WHERE action = $1", "account.sign_in").await;
        assert_eq!(faults(&server).await[0].what, "is missing from the end");
    }
}
