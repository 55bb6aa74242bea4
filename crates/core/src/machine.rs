//! What the machine is called, for people who look after several.

/// As Linux calls it; in a container that is the container's name or id. Empty elsewhere, where an
/// instance is called by its id alone.
pub fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}
