//! The spool of a machine that is gone, adopted by another machine.

use serde_json::json;

use crate::ingest::{drain, number};
use crate::support::sender::event;
use crate::support::{Store, TestServer, in_both_sizes};
use atrium::collect::loader::{self, Turn};
use atrium::collect::spool_adopt::{adopt, drop_adopted};

in_both_sizes! {
    async fn what_waits_on_a_lost_machine_is_stored_once(server: TestServer) {
        let team = server.team("one").await;
        let key = server.collect_key(team.app_id.as_str()).await;
        server.collect(&key, json!([event(&server, "a"), event(&server, "b")])).await;
        let own = &server.atrium.collector.spool;
        let elsewhere = tempfile::tempdir().unwrap();
        let (db, now) = (&server.atrium.db, server.atrium.now());
        let error = adopt(db, now, elsewhere.path(), server.folder()).await.err().unwrap();
        assert!(error.to_string().contains("a server uses"), "{error}");

        // Its disk is attached to another machine, in the state it had when the power failed.
        let disk = tempfile::tempdir().unwrap();
        let folder = disk.path().join("spool/1");
        std::fs::create_dir_all(&folder).unwrap();
        for file in ["spool.db", "spool.db-wal"] {
            std::fs::copy(server.folder().join("spool/1").join(file), folder.join(file)).unwrap();
        }
        let adopted = adopt(db, now, elsewhere.path(), disk.path()).await.unwrap();
        assert_eq!(adopted.iter().map(|it| it.messages).collect::<Vec<_>>(), [2]);
        let spools = server.atrium.collector.left_behind(elsewhere.path()).unwrap();
        let [other] = &spools[..] else { panic!("one spool was adopted") };
        assert_ne!(other.name, own.name, "two never hold the same lease");
        while loader::turn(&server.atrium, other).await.unwrap() != Turn::Idle {}
        assert_eq!(number(&server, "(SELECT count() FROM events)").await, 2);

        // The first machine comes back with its old messages and a new one.
        server.collect(&key, json!([event(&server, "c")])).await;
        drop_adopted(&server.atrium, own).await.unwrap();
        drain(&server).await;
        assert_eq!(number(&server, "(SELECT count() FROM events)").await, 3);
        assert_eq!(number(&server, "(SELECT uniqExact(log_id) FROM events)").await, 3);
        let booked = "SELECT CAST(SUM(messages) AS BIGINT) FROM ingest_ledger";
        assert_eq!(server.count(booked).await, 3, "and nothing is counted as a duplicate");
    }
}
