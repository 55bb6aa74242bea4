//! When and from where keys are used: gathered in memory, written every few seconds.

use std::collections::HashMap;
use std::net::IpAddr;

use parking_lot::Mutex;

use atrium_core::types::Millis;

/// Combinations of key and address between two writes. Beyond that, uses are not recorded but still
/// served.
const GATHERED_MAX: usize = 20_000;

/// One use of an API key or an access key.
#[derive(Clone, Debug)]
pub struct Use {
    pub key_id: String,
    pub ip: IpAddr,
    pub at: Millis,
}

#[derive(Default)]
pub struct GatheredUses {
    gathered: Mutex<HashMap<(String, IpAddr), Millis>>,
}

impl GatheredUses {
    pub fn note(&self, key_id: &str, ip: IpAddr, at: Millis) {
        let mut gathered = self.gathered.lock();
        let (room, used) = (gathered.len() < GATHERED_MAX, (key_id.to_owned(), ip));
        if room || gathered.contains_key(&used) {
            gathered.insert(used, at);
        }
    }

    /// What was gathered since the last call, oldest first.
    pub fn take(&self) -> Vec<Use> {
        let gathered = std::mem::take(&mut *self.gathered.lock());
        let mut uses: Vec<_> =
            gathered.into_iter().map(|((key_id, ip), at)| Use { key_id, ip, at }).collect();
        uses.sort_by_key(|used| used.at);
        uses
    }
}
