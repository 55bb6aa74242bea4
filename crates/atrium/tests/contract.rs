//! The committed OpenAPI document is the one the code makes.

#[test]
fn the_committed_document_is_current() {
    let made = atrium::router::openapi().to_pretty_json().unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed.trim() == made.trim(), "openapi.json is stale: run `make generate`");
}
