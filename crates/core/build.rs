//! Makes cargo notice a new migration: the embedding macro tracks files, not new names.
fn main() {
    println!("cargo:rerun-if-changed=../atrium/migrations");
}
