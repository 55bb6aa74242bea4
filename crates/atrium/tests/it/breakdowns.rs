//! Analyses by profile properties and by cohorts, formulas by group, and the daily sizes of cohorts. That the
//! figures are correct is tested where they are computed (crates/warehouse/tests).

use atrium::analyses::cohort_sizes;
use serde_json::{Value, json};

use crate::analyses::{DAY, Story, answer, ask, events, people, series, tell};
use crate::ingest::drain;
use crate::support::sender::mutation;
use crate::support::world::Team;
use crate::support::{Actor, TestServer, in_either_size};

/// Each value with its figure.
fn shown_groups(groups: &Value) -> Vec<(Value, Value)> {
    let groups = groups.as_array().unwrap();
    groups.iter().map(|it| (it["values"][0].clone(), it["total"].clone())).collect()
}

async fn make(actor: &Actor, app: &str, shared: bool, definition: Value) -> String {
    let body = json!({ "name": "Some", "shared": shared, "definition": definition });
    let made = actor.post(&format!("/api/v1/apps/{app}/cohorts"), body).await;
    assert_eq!(made.status, 200, "{made:?}");
    made.body["data"]["id"].as_str().unwrap().to_owned()
}

fn did(name: &str) -> Value {
    let did = json!({ "is": "did", "event": events(name), "not": false, "times": 1, "days": 7 });
    json!({ "of": "rule", "all": [did] })
}

fn has_plan() -> Value {
    let pro =
        json!({ "is": "profile", "property": "$user:plan", "operator": "is", "values": ["pro"] });
    json!({ "of": "rule", "all": [pro] })
}

/// A caller who may ask questions but may not see profiles.
async fn asks_alone(server: &TestServer, team: &Team) -> Actor {
    let role = team.role_id.as_str();
    let sql = "INSERT INTO role_permissions (role_id, permission) VALUES ($1, 'query:run')";
    server.run(sql, &[role]).await;
    let sql = "UPDATE app_members SET role_id = $1 WHERE user_id = $2";
    server.run(sql, &[role, team.id("viewer").as_str()]).await;
    team.actor("viewer").clone()
}

in_either_size! {
    async fn by_profiles_and_cohorts(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let signer = server.access_key(owner, app).await;
        let story = tell(&server, app).await;
        let set = async |plan: &str| {
            let changes = json!([
                mutation(&server, "UserMutation", "set", "anna", json!({ "plan": plan })),
                mutation(&server, "DeviceMutation", "set", "d3", json!({ "model": "X1 📱" })),
            ]);
            assert_eq!(server.collect_signed(&signer, changes).await.body["data"]["accepted"], 2);
            drain(&server).await;
        };
        set("pro").await;
        let trend = |by: &str, of: &str| story.question("trend", json!({
            "series": [{ "events": [], "measure": { "of": of } }], "breakdown": [by],
        }));
        let groups = async |by: &str, of: &str| {
            shown_groups(&answer(owner, app, trend(by, of)).await["series"][0]["groups"])
        };
        // Includes what anna's device did before she signed in.
        assert_eq!(groups("$user:plan", "events").await, [(json!("pro"), json!(5.0)), (json!(null), json!(4.0))]);
        assert_eq!(groups("$device:model", "people").await, [(json!(null), json!(2.0)), (json!("X1 📱"), json!(1.0))]);
        // The current value in the profile, not the one cached earlier.
        set("free").await;
        assert_eq!(groups("$user:plan", "people").await, [(json!(null), json!(2.0)), (json!("free"), json!(1.0))]);

        // Texts in profiles need the right to personal data; a small group would reveal whose text it is.
        let hidden = answer(team.actor("analyst"), app, trend("$user:plan", "people")).await;
        assert_eq!(shown_groups(&hidden["series"][0]["groups"]), [(json!(null), json!(3.0))]);

        let buyers = make(owner, app, true, did("purchase")).await;
        let by_buyers = format!("$cohort:{buyers}");
        assert_eq!(groups(&by_buyers, "people").await, [(json!("in"), json!(2.0)), (json!("out"), json!(1.0))]);
        let group = |value: Value| json!({ "values": [value], "other": false, "redacted": [false] });
        let pick = json!({ "of": "trend", "series": 0, "time": null, "group": group(json!("out")) });
        assert_eq!(people(owner, app, &trend(&by_buyers, "people"), pick).await, ["d3"]);

        let funnel = story.question("funnel", json!({
            "steps": [events("landing"), events("signup")], "window_minutes": 60, "breakdown": [by_buyers],
        }));
        let steps = answer(owner, app, funnel.clone()).await["groups"].clone();
        let made = |place: usize| steps[place]["steps"].as_array().unwrap().iter().map(|it| it["people"].clone()).collect::<Vec<_>>();
        assert_eq!((made(0), made(1)), (vec![json!(2), json!(1)], vec![json!(1), json!(0)]));
        let pick = json!({ "of": "funnel", "step": 1, "dropped": true, "group": group(json!("in")) });
        assert_eq!(people(owner, app, &funnel, pick).await, ["ben"]);

        // A formula by group: ben's group has no purchases to divide by, so its value is null.
        let formula = story.question("trend", json!({
            "series": [
                series("purchase", json!({ "of": "sum", "property": "amount" })),
                series("purchase", json!({ "of": "people" })),
            ],
            "formula": "A / B", "breakdown": ["$user:plan"],
        }));
        let formula = answer(owner, app, formula).await["formula"].clone();
        let found = shown_groups(&formula["groups"]);
        assert_eq!(found.len(), 2, "{formula}");
        assert!(found.contains(&(json!("free"), json!(30.0))) && found.contains(&(json!(null), json!(5.5))), "{formula}");

        let refused = async |actor: &Actor, by: &str| {
            let answer = ask(actor, app, trend(by, "people")).await;
            (answer.status, answer.code().to_owned(), answer.field().to_owned())
        };
        let wrong = |code: &str| (422, code.to_owned(), "breakdown[0]".to_owned());
        assert_eq!(refused(owner, &format!("$cohort:{app}")).await, wrong("unknown_cohort"));
        assert_eq!(refused(owner, "$cohort:x").await, wrong("unknown_cohort"));
        assert_eq!(refused(owner, "$user:$os").await, wrong("unknown_property"));
        assert_eq!(refused(owner, "$user:").await, wrong("required"));
        let alone = asks_alone(&server, &team).await;
        assert_eq!(refused(&alone, "$user:plan").await, (403, "personal_data".to_owned(), "breakdown[0]".to_owned()));
        assert_eq!(refused(&alone, &by_buyers).await.0, 200);
        let own = make(owner, app, false, did("landing")).await;
        assert_eq!(refused(&alone, &format!("$cohort:{own}")).await, wrong("unknown_cohort"));
    }
}

in_either_size! {
    async fn sizes_are_kept_day_by_day(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let story: Story = tell(&server, app).await;
        server.run("DELETE FROM cohorts", &[]).await;
        let buyers = make(owner, app, true, did("purchase")).await;
        let own = make(owner, app, false, did("landing")).await;
        let listed = make(owner, app, true, json!({ "of": "ids", "ids": ["anna", "ben"] })).await;
        let pro = make(owner, app, true, has_plan()).await;
        let sizes = async |actor: &Actor, id: &str| {
            let answer = actor.get(&format!("/api/v1/apps/{app}/cohorts/{id}/sizes")).await;
            match answer.status {
                200 => answer.body["data"]["sizes"].clone(),
                _ => json!(answer.code()),
            }
        };
        let day = |offset: i64, people: i64| json!({ "date": story.date(offset), "people": people });
        assert_eq!(sizes(owner, &buyers).await, json!([]));
        assert_eq!(cohort_sizes::run_due(&server.atrium).await.unwrap(), 4);
        assert_eq!(cohort_sizes::run_due(&server.atrium).await.unwrap(), 0);
        assert_eq!(sizes(owner, &buyers).await, json!([day(0, 2)]));
        server.clock.advance(DAY);
        assert_eq!(cohort_sizes::run_due(&server.atrium).await.unwrap(), 4);
        server.clock.advance(7 * DAY);
        assert_eq!(cohort_sizes::run_due(&server.atrium).await.unwrap(), 4);
        assert_eq!(sizes(owner, &buyers).await, json!([day(0, 2), day(1, 2), day(8, 0)]));

        // Callers see only sizes that they could count themselves.
        let (analyst, alone) = (team.actor("analyst"), asks_alone(&server, &team).await);
        assert_eq!(sizes(analyst, &buyers).await, sizes(owner, &buyers).await);
        assert_eq!(sizes(owner, &listed).await, json!([day(0, 2), day(1, 2), day(8, 2)]));
        assert_eq!(sizes(analyst, &listed).await, json!([]));
        assert_eq!(sizes(analyst, &pro).await, json!([day(0, 0), day(1, 0), day(8, 0)]));
        assert_eq!(sizes(&alone, &pro).await, "personal_data");
        assert_eq!(sizes(analyst, &own).await, "not_found");
        assert_eq!(sizes(owner, app).await, "not_found");

        // A new name keeps the history; a new definition starts it again.
        let put = async |version: i64, definition: Value| {
            let body = json!({ "name": "Other", "shared": true, "version": version, "definition": definition });
            let answer = owner.put(&format!("/api/v1/apps/{app}/cohorts/{buyers}"), body).await;
            assert_eq!(answer.status, 200, "{answer:?}");
        };
        put(1, did("purchase")).await;
        assert_eq!(sizes(owner, &buyers).await[0], day(0, 2));
        put(2, did("signup")).await;
        assert_eq!(sizes(owner, &buyers).await, json!([]));
        // The sizes are deleted with the cohort, and old ones are dropped after a while.
        assert_eq!(owner.delete(&format!("/api/v1/apps/{app}/cohorts/{listed}")).await.status, 200);
        assert_eq!(server.count("SELECT COUNT(*) FROM cohort_sizes").await, 6);
        server.clock.advance(200 * DAY);
        assert_eq!(cohort_sizes::run_due(&server.atrium).await.unwrap(), 3);
        assert_eq!(server.count("SELECT COUNT(*) FROM cohort_sizes").await, 3);
    }
}

in_either_size! {
    async fn answers_about_cohorts_are_kept_until_one_is_another(server: TestServer) {
        let team = server.team("one").await;
        let (owner, app) = (team.actor("owner"), team.app_id.as_str());
        let story = tell(&server, app).await;
        let buyers = make(owner, app, true, did("purchase")).await;
        let of_buyers = |id: &str| json!({ "property": format!("$cohort:{id}"), "operator": "is", "values": [] });
        let mut nested = did("landing");
        nested["all"][0]["event"]["filters"] = json!({ "all": [of_buyers(&buyers)] });
        let nested = make(owner, app, false, nested).await;
        let pro = make(owner, app, true, has_plan()).await;
        let asked = async |actor: &Actor, id: &str| {
            let question = story.question("trend", json!({
                "series": [{ "events": [], "measure": { "of": "people" } }], "filters": { "all": [of_buyers(id)] },
            }));
            // So that a recomputed answer has another time.
            server.clock.advance(1);
            ask(actor, app, question).await
        };
        let computed = async |id: &str| {
            let data = asked(owner, id).await.body["data"].clone();
            (data["series"][0]["total"].clone(), data["computed_at"].clone())
        };
        let first = computed(&nested).await;
        assert_eq!(first.0, 2.0);
        assert_eq!(computed(&nested).await, first);
        // A caller who may not use the cohort does not get the cached answer either.
        assert_eq!(asked(team.actor("admin"), &nested).await.code(), "unknown_cohort");
        assert_eq!(computed(&pro).await, computed(&pro).await);
        let put = async |version: i64, definition: Value| {
            let body = json!({ "name": "Some", "shared": true, "version": version, "definition": definition });
            assert_eq!(owner.put(&format!("/api/v1/apps/{app}/cohorts/{buyers}"), body).await.status, 200);
        };
        put(1, did("nothing of that name")).await;
        assert_eq!(computed(&nested).await.0, 0.0);
        // A cohort that now refers to profiles is cached by the profiles' version, too.
        let before = computed(&nested).await;
        put(2, has_plan()).await;
        let (one, two) = (computed(&nested).await, computed(&nested).await);
        assert_ne!(before.1, one.1);
        assert_eq!(one, two);
        assert_eq!(owner.delete(&format!("/api/v1/apps/{app}/cohorts/{buyers}")).await.status, 200);
        assert_eq!(asked(owner, &nested).await.code(), "unknown_cohort");
    }
}
