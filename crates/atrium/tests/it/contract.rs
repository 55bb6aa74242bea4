//! The committed OpenAPI document and pages match the code, and what they claim is true.

use std::path::Path;

#[test]
fn the_committed_document_is_current() {
    let made = atrium::router::openapi().to_pretty_json().unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed.trim() == made.trim(), "openapi.json is stale: run `make generate`");
}

/// A change of who may do what shows up in review.
#[test]
fn the_committed_page_of_permissions_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/permissions.md");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    let made = atrium::permissions::page();
    assert!(committed.trim() == made.trim(), "docs/permissions.md is stale: run `make generate`");
}

/// Every test and file that the security page cites exists, so removing one means changing its claim.
#[test]
fn what_the_security_page_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/security.md")).unwrap();
    let mut sources = String::new();
    read_sources(&root.join("crates"), &mut sources);
    let mut named = 0;
    for quoted in page.split('`').skip(1).step_by(2) {
        let is_name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if quoted.contains("::") && quoted.split("::").all(is_name) {
            let name = quoted.rsplit("::").next().unwrap();
            assert!(sources.contains(&format!("fn {name}(")), "no test is called {quoted}");
            named += 1;
        } else if quoted.starts_with("crates/") || quoted.starts_with("web/") {
            assert!(root.join(quoted).exists(), "there is no {quoted}");
            named += 1;
        }
    }
    assert!(named > 150, "{named}");
}

fn read_sources(folder: &Path, sources: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_sources(&path, sources);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            sources.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
}
