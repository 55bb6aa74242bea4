//! The committed OpenAPI document and page of permissions are the ones the code makes.

#[test]
fn the_committed_document_is_current() {
    let made = atrium::router::openapi().to_pretty_json().unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed.trim() == made.trim(), "openapi.json is stale: run `make generate`");
}

/// A change of who may do what shows in review.
#[test]
fn the_committed_page_of_permissions_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/permissions.md");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    let made = atrium::permissions::page();
    assert!(committed.trim() == made.trim(), "docs/permissions.md is stale: run `make generate`");
}
