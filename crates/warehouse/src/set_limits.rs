//! Limits on the sets of people that this process holds in memory (docs/decisions/0038).

/// Up to these limits, sets of people are sent here as bitmaps, cached and joined. Beyond them, the
/// store joins the sets and answers with counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetLimits {
    /// How many people an app may have for its sets to be joined here.
    pub people: u32,
    /// How long one answer with sets may be, in bytes.
    pub answer_bytes: usize,
}

impl Default for SetLimits {
    fn default() -> Self {
        // A set of half a million takes at most 62 KB, and those of a dashboard over thirty days and the
        // thirty before take some 45 MB: about what is cached (`rollup_cache`).
        Self { people: 500_000, answer_bytes: 64 << 20 }
    }
}
