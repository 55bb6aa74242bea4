//! How much of the sets of people this process takes into its own memory (docs/decisions/0038).

/// Below these, sets of people come here as bitmaps, are kept and joined here. Beyond, the store joins
/// them and answers with counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetLimits {
    /// How many people an app may have whose sets come here.
    pub people: u32,
    /// How long one answer with sets may be, in bytes.
    pub answer_bytes: usize,
}

impl Default for SetLimits {
    fn default() -> Self {
        // A set of half a million takes 62 KB at the most, those of a dashboard over thirty days and the
        // thirty before some 45 MB: about what is kept for the next question (`rollup_cache`).
        Self { people: 500_000, answer_bytes: 64 << 20 }
    }
}
