//! When and from where keys are used. A busy key is used thousands of times a second, so uses are
//! gathered in memory and written now and then.

use std::collections::BTreeMap;
use std::net::IpAddr;

use crate::key_uses::Use;
use crate::state::Tenancy;
use crate::store::keys as store;
use atrium_core::error::Result;
use atrium_core::types::Millis;

/// How long it is recorded where a key was used, and how long an ended value is kept.
const KEEP: i64 = 30 * Millis::DAY;

/// Writes uses. No cached answer depends on them, so the epoch stays as it is, and a power failure may
/// lose the last few.
pub async fn record_uses(atrium: &Tenancy, uses: &[Use]) -> Result<()> {
    if uses.is_empty() {
        return Ok(());
    }
    let mut tx = atrium.db.write_relaxed().await?;
    // In the order of the keys' ids, as everywhere: two instances writing at the same time then wait for
    // one another but cannot deadlock.
    for (key_id, places) in by_key(uses) {
        let Some((ip, at)) = places.first() else { continue };
        if !store::note_use(&mut tx, key_id, ip, *at).await? {
            continue;
        }
        for (ip, at) in &places {
            store::note_address(&mut tx, key_id, ip, *at).await?;
        }
        store::trim_addresses(&mut tx, key_id).await?;
    }
    tx.commit().await
}

/// The addresses of each key, latest first, and no more than are kept.
fn by_key(uses: &[Use]) -> BTreeMap<&str, Vec<(String, Millis)>> {
    let mut latest: BTreeMap<&str, BTreeMap<IpAddr, Millis>> = BTreeMap::new();
    for Use { key_id, ip, at } in uses {
        // An address has one spelling, whichever kind of socket it came through.
        let seen = latest.entry(key_id).or_default().entry(ip.to_canonical()).or_insert(*at);
        *seen = (*seen).max(*at);
    }
    let ordered = |places: BTreeMap<IpAddr, Millis>| {
        let mut places: Vec<_> = places.into_iter().map(|(ip, at)| (ip.to_string(), at)).collect();
        places.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
        places.truncate(store::MOST_ADDRESSES);
        places
    };
    latest.into_iter().map(|(key_id, places)| (key_id, ordered(places))).collect()
}

/// Removes values that ended a month ago, and records of use from before then.
pub async fn sweep(atrium: &Tenancy) -> Result<u64> {
    let before = atrium.now().plus(-KEEP);
    let mut tx = atrium.db.write_relaxed().await?;
    let ended = store::delete_ended_api_keys(&mut tx, before).await?;
    let addresses = store::delete_addresses_before(&mut tx, before).await?;
    tx.commit().await?;
    Ok(ended + addresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_put_together_per_key_and_address() {
        let used = |key: &str, ip: &str, at| Use {
            key_id: key.to_owned(),
            ip: ip.parse().unwrap(),
            at: Millis(at),
        };
        let uses = [
            used("b", "10.0.0.1", 3),
            used("a", "10.0.0.1", 1),
            used("b", "::ffff:10.0.0.1", 5),
            used("b", "10.0.0.2", 4),
        ];
        let found = by_key(&uses);
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), ["a", "b"]);
        let places = [("10.0.0.1".to_owned(), Millis(5)), ("10.0.0.2".to_owned(), Millis(4))];
        assert_eq!(found["b"], places);
    }
}
