//! Makes cargo notice a freshly built console or SDK: the embedding macro tracks files, not new names.
fn main() {
    println!("cargo:rerun-if-changed=../../web/dist");
    println!("cargo:rerun-if-changed=../../sdk/dist");
    println!("cargo:rerun-if-changed=../../client-version");
}
