//! Reminders of access keys that expire: a week before, a day before, and afterwards. Each is sent once,
//! by whichever instance is first; one that is too late is skipped in favor of the next.

use crate::notifications::{self, Notice};
use crate::state::Tenancy;
use crate::store::keys::{self as store, ExpiringRow};
use atrium_core::error::Result;
use atrium_core::timezone;
use atrium_core::types::Millis;

/// How close the end is. The database stores these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Far = 0,
    Week = 1,
    Day = 2,
    Over = 3,
}

impl Stage {
    fn of(expires_at: Millis, now: Millis) -> Self {
        match expires_at.since(now) {
            ..=0 => Self::Over,
            1..=Millis::DAY => Self::Day,
            left if left <= 7 * Millis::DAY => Self::Week,
            _ => Self::Far,
        }
    }

    /// The reminders that are pointless when an end is set: someone who gives a key two days knows that
    /// they are fewer than seven.
    pub fn passed(expires_at: Option<Millis>, now: Millis) -> i64 {
        expires_at.map_or(Self::Far, |at| Self::of(at, now)) as i64
    }
}

/// Sends due reminders. Returns for how many keys.
pub async fn run_due(atrium: &Tenancy) -> Result<u64> {
    let (now, mut sent, mut after) = (atrium.now(), 0, String::new());
    loop {
        let keys = store::expiring(&mut *atrium.db.read().await?, now, &after).await?;
        let Some(last) = keys.last() else { break };
        after.clone_from(&last.id);
        for key in &keys {
            sent += u64::from(remind(atrium, key, now).await?);
        }
    }
    if sent > 0 {
        atrium.outbox.wake();
    }
    Ok(sent)
}

async fn remind(atrium: &Tenancy, key: &ExpiringRow, now: Millis) -> Result<bool> {
    let stage = Stage::of(key.expires_at, now);
    if stage as i64 <= key.reminded {
        return Ok(false);
    }
    // Nothing cached depends on what a reminder writes.
    let mut tx = atrium.db.write_uncached().await?;
    if !store::note_reminder(&mut tx, &key.id, key.expires_at, stage as i64).await? {
        return Ok(false);
    }
    let (app_id, app, key_id, name) =
        (key.app_id.clone(), key.app_name.clone(), key.id.clone(), key.name.clone());
    let at = timezone::in_words(key.expires_at, &key.timezone);
    let notice = match stage {
        Stage::Over => Notice::KeyExpired { app_id, app, key_id, name, at },
        _ => Notice::KeyExpiring { app_id, app, key_id, name, at },
    };
    for user_id in store::managers(&mut tx, &key.app_id, &key.org_id).await? {
        notifications::notify_id(atrium, &mut tx, &user_id, &notice).await?;
    }
    tx.commit().await?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_begin_a_week_before_a_day_before_and_at_the_end() {
        let now = Millis(1_760_000_000_000);
        let stage = |left: i64| Stage::of(now.plus(left), now);
        assert_eq!(stage(-1), Stage::Over);
        assert_eq!(stage(0), Stage::Over);
        assert_eq!(stage(1), Stage::Day);
        assert_eq!(stage(Millis::DAY), Stage::Day);
        assert_eq!(stage(Millis::DAY + 1), Stage::Week);
        assert_eq!(stage(7 * Millis::DAY), Stage::Week);
        assert_eq!(stage(7 * Millis::DAY + 1), Stage::Far);
        assert_eq!(Stage::passed(None, now), 0);
        assert_eq!(Stage::passed(Some(now.plus(Millis::HOUR)), now), 2);
    }
}
