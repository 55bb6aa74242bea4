//! Who owns a domain: proven by a DNS record, or by an operator's word.

use super::{Company, IMPATIENT, open_callback, with_provider};
use crate::process::{output, text};
use crate::support::{Answer, Store};
use atrium::sso::domains::by_operator;
use atrium::types::Id;
use serde_json::{Value, json};

/// A domain that no other test uses with the name server.
fn fresh(company: &Company) -> String {
    format!("d{}.test", company.server.atrium.new_id())
}

async fn claim(company: &Company, domain: &str) -> Answer {
    company.owner.post(&company.path("/sso/domains"), json!({ "domain": domain })).await
}

async fn verify(company: &Company, domain: &str) -> Answer {
    company.owner.post(&company.path(&format!("/sso/domains/{domain}/verify")), Value::Null).await
}

async fn record(company: &Company, item: &Value, values: &[&str]) {
    company
        .standins
        .dns_switch("txt", json!({ "name": item["record_name"], "values": values }))
        .await;
}

with_provider! {
    async fn a_record_proves_a_domain(company: Company) {
        let name = fresh(&company);
        let claimed = claim(&company, &format!(" {}. ", name.to_uppercase())).await;
        let item = claimed.body["data"].clone();
        assert_eq!((&item["domain"], &item["verified_at"], &item["verified_by"]), (&json!(name), &Value::Null, &Value::Null));
        assert_eq!(item["record_name"], format!("_atrium-challenge.{name}"));
        let value = item["record_value"].as_str().unwrap().to_owned();
        assert!(value.starts_with("atrium-verification=") && value.len() == 60, "{value}");
        // Claiming it again returns the same claim.
        assert_eq!(claim(&company, &name).await.body["data"], item);

        let missing = verify(&company, &name).await;
        assert_eq!((missing.status, missing.code()), (409, "record_missing"));
        record(&company, &item, &["v=spf1 -all", &value[..value.len() - 1]]).await;
        let wrong = verify(&company, &name).await;
        assert_eq!((wrong.status, wrong.code()), (409, "record_wrong"));
        record(&company, &item, &["v=spf1 -all", &value]).await;
        let proven = verify(&company, &name).await;
        assert_eq!((proven.status, &proven.body["data"]["verified_by"]), (200, &json!("dns")), "{proven:?}");
        // Once proven it stays proven, even when the record is gone.
        record(&company, &item, &[]).await;
        assert_eq!(verify(&company, &name).await.status, 200);
        for action in ["sso.domain_add", "sso.domain_verify"] {
            let entry = company.log(action).await.remove(0);
            assert_eq!(entry["target"]["id"], name.as_str(), "{action}");
        }
        assert_eq!(company.owner.delete(&company.path(&format!("/sso/domains/{name}"))).await.status, 200);
        assert_eq!(company.log("sso.domain_remove").await.len(), 1);
        assert_eq!(verify(&company, &name).await.status, 404);
    }
}

with_provider! {
    impatient async fn a_name_server_that_does_not_answer_has_its_own_code(company: Company) {
        let name = fresh(&company);
        claim(&company, &name).await;
        company.standins.dns_switch("down", json!({ "down": true })).await;
        let broken = verify(&company, &name).await;
        assert_eq!((broken.status, broken.code()), (503, "dns_unavailable"));
        company.standins.dns_switch("down", json!({ "down": false })).await;
        company.standins.dns_switch("hang", json!({ "seconds": 30 })).await;
        let began = std::time::Instant::now();
        let silent = verify(&company, &name).await;
        assert_eq!((silent.status, silent.code()), (503, "dns_unavailable"));
        assert!(began.elapsed() < IMPATIENT * 10, "{:?}", began.elapsed());
    }
}

with_provider! {
    async fn what_is_no_domain_of_a_team_is_refused(company: Company) {
        for wrong in ["", "acme", "localhost", "127.0.0.1", "a b.test", "https://acme.test", "anna@acme.test", "-a.test", "a_b.test"] {
            let answer = claim(&company, wrong).await;
            assert_eq!((answer.status, answer.code(), answer.field()), (422, "bad_domain", "domain"), "{wrong}");
        }
        for public in ["gmail.com", "QQ.com", "vip.qq.com", "yahoo.co.jp", "163.com", "co.uk", "Foxmail.com."] {
            let answer = claim(&company, public).await;
            assert_eq!((answer.status, answer.code(), answer.field()), (422, "public_domain", "domain"), "{public}");
        }
        for number in 1..20 {
            assert_eq!(claim(&company, &format!("team{number}.test")).await.status, 200);
        }
        let beyond = claim(&company, "team20.test").await;
        assert_eq!((beyond.status, beyond.code()), (409, "too_many_domains"));
        assert_eq!(claim(&company, "team1.test").await.status, 200);
    }
}

with_provider! {
    async fn a_public_domain_that_was_proven_before_opens_nothing(company: Company) {
        // An earlier version allowed one to be proven and the other to be claimed.
        for (domain, verified) in [("outlook.com", "1"), ("gmx.net", "")] {
            company.server.run("INSERT INTO org_domains (org_id, domain, proof, created_at) VALUES ($1, $2, 'p', 1)",
                &[company.org_id.as_str(), domain]).await;
            if !verified.is_empty() {
                company.server.run("UPDATE org_domains SET verified_at = 1, verified_by = 'dns' WHERE domain = $1", &[domain]).await;
            }
        }
        let browser = company.server.anonymous();
        let answer = browser.post("/api/v1/sso/login", json!({ "email": "anna@outlook.com" })).await;
        assert_eq!((answer.status, answer.code()), (404, "sso_not_found"));
        // Started by the organization's id instead, the sign-in fails: the provider may not vouch for this
        // address.
        let answer = browser.post("/api/v1/sso/login", json!({ "organization": company.org_id })).await;
        let url = answer.body["data"]["redirect_url"].as_str().unwrap();
        let callback = company.inside(&company.standins.visit(url, Some("anna@outlook.com")).await);
        assert_eq!(open_callback(&browser, &callback).await, "/login?failed=domain_not_allowed&provider=sso");
        assert_eq!(browser.get("/api/v1/current").await.status, 401);
        // Such a domain can no longer be proven in any way, but it can be given up.
        let refused = verify(&company, "gmx.net").await;
        assert_eq!((refused.status, refused.code(), refused.field()), (422, "public_domain", "domain"));
        assert!(by_operator(&company.server.atrium, &company.org_id, "gmx.net").await.is_err());
        for domain in ["outlook.com", "gmx.net"] {
            assert_eq!(company.owner.delete(&company.path(&format!("/sso/domains/{domain}"))).await.status, 200);
        }
    }
}

/// Another organization of the same instance.
async fn rival(company: &Company) -> (crate::support::Actor, Id) {
    let owner = company.server.owner("rival@rival.test").await;
    let teams = owner.get("/api/v1/orgs").await;
    let id = Id::parse(teams.body["data"]["items"][0]["id"].as_str().unwrap()).unwrap();
    (owner, id)
}

with_provider! {
    async fn of_two_who_claim_a_domain_the_first_to_prove_it_has_it(company: Company) {
        let (owner, org_id) = rival(&company).await;
        let taken = owner.post(&format!("/api/v1/orgs/{org_id}/sso/domains"), json!({ "domain": "acme.test" })).await;
        assert_eq!((taken.status, taken.code()), (409, "domain_taken"));
        assert!(by_operator(&company.server.atrium, &org_id, "acme.test").await.is_err());

        // Both may claim one, both set their record, and both verify at the same moment.
        for _ in 0..4 {
            let name = fresh(&company);
            let mine = claim(&company, &name).await.body["data"].clone();
            let path = format!("/api/v1/orgs/{org_id}/sso/domains");
            let theirs = owner.post(&path, json!({ "domain": name })).await.body["data"].clone();
            assert_ne!(mine["record_value"], theirs["record_value"]);
            let values = [&mine, &theirs].map(|item| item["record_value"].as_str().unwrap());
            record(&company, &mine, &values).await;
            let verifying = format!("{path}/{name}/verify");
            let (first, second) = tokio::join!(verify(&company, &name), owner.post(&verifying, Value::Null));
            let mut outcomes = [(first.status, first.code()), (second.status, second.code())];
            outcomes.sort_unstable();
            assert_eq!(outcomes, [(200, ""), (409, "domain_taken")]);
        }
        let twice = "SELECT COUNT(*) FROM (SELECT domain FROM org_domains WHERE verified_at IS NOT NULL
            GROUP BY domain HAVING COUNT(*) > 1) AS twice";
        assert_eq!(company.server.count(twice).await, 0);
        // Another organization's record proves nothing.
        let name = fresh(&company);
        let mine = claim(&company, &name).await.body["data"].clone();
        record(&company, &mine, &["atrium-verification=0000"]).await;
        assert_eq!(verify(&company, &name).await.code(), "record_wrong");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_vouches_on_the_command_line() {
    let company = Company::start(Store::Sqlite).await;
    let folder = company.server.folder();
    let id = company.org_id.as_str();
    let command = |organization: &str, domain: &str| {
        output(
            folder,
            &["admin", "verify-domain", "--organization", organization, "--domain", domain],
        )
    };
    // Whether it was claimed before or not.
    claim(&company, "one.test").await;
    for domain in ["one.test", "two.test", "two.test"] {
        let done = command(id, domain);
        assert!(done.status.success(), "{}", text(&done.stderr));
        assert!(text(&done.stdout).contains(&format!("\"domain\":\"{domain}\"")));
    }
    let entries = company.log("sso.domain_verify").await;
    assert_eq!(entries.len(), 3, "{entries:?}");
    assert_eq!(
        (&entries[0]["actor"]["kind"], &entries[0]["details"]["by"]),
        (&json!("operator"), &json!("operator"))
    );
    for (organization, domain, why) in [
        ("nonsense", "x.test", "--organization must be an id"),
        (company.server.atrium.new_id().as_str(), "x.test", "does not exist"),
        (id, "not a domain", "domain, such as example.com"),
    ] {
        let failed = command(organization, domain);
        assert!(
            !failed.status.success() && text(&failed.stderr).contains(why),
            "{}",
            text(&failed.stderr)
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_asks_every_provider() {
    let company = Company::start(Store::Sqlite).await;
    let examine = || {
        let flags =
            ["doctor", "--sso-internal-networks", "true", "--dns-server", &company.standins.dns];
        let answer = output(company.server.folder(), &flags);
        (answer.status.success(), text(&answer.stdout))
    };
    let (well, findings) = examine();
    let line = |findings: &str, what: &str| {
        let line = findings.lines().find(|line| line.split_whitespace().nth(1) == Some(what));
        line.unwrap_or_else(|| panic!("{findings}")).to_owned()
    };
    assert!(well && line(&findings, "sso").starts_with("ok"), "{findings}");
    assert!(line(&findings, "dns").starts_with("ok"), "{findings}");
    // Problems on the other side are warnings.
    company.standins.switch("down", json!({ "down": true })).await;
    company.standins.dns_switch("down", json!({ "down": true })).await;
    let (well, findings) = examine();
    assert!(well, "{findings}");
    assert!(
        line(&findings, "sso").starts_with("warning")
            && line(&findings, "dns").starts_with("warning"),
        "{findings}"
    );
}
