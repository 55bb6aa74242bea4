//! The machine's name, for people who run several.

/// The Linux host name; in a container, that is the container's name or id. Empty elsewhere, where only
/// the instance's id identifies it.
pub fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}
