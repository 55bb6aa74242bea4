//! What is to blame for a failure. That decides whether to wait, to try less at once, or to give up on a
//! message. Only rows that the store itself refuses may be given up.

use warehouse::Error as StoreError;

/// The rows of a batch were sent and not stored.
#[derive(Debug)]
pub struct NotStored(pub StoreError);

impl std::fmt::Display for NotStored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for NotStored {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The rows: they will be refused again.
    Rows,
    /// The amount: less at once may work.
    Size,
    /// Something in this batch, but it is unknown what.
    Unknown,
    /// The steps after the rows, which are already stored.
    Aftermath,
    /// The circumstances: a store or database that is down, full or busy.
    Moment,
}

pub fn blame(error: &anyhow::Error) -> Blame {
    let mut causes = error.chain();
    if let Some(NotStored(refused)) = causes.find_map(|cause| cause.downcast_ref()) {
        return of_rows(refused);
    }
    let refused = error.chain().find_map(|cause| cause.downcast_ref::<StoreError>());
    match refused {
        Some(refused) if refused.is_about_size() || !refused.may_pass() => Blame::Aftermath,
        _ => Blame::Moment,
    }
}

fn of_rows(refused: &StoreError) -> Blame {
    if refused.is_about_rows() {
        Blame::Rows
    } else if refused.is_about_size() {
        Blame::Size
    } else if refused.may_pass() {
        Blame::Moment
    } else {
        Blame::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rows_and_their_size_are_blamed_for_themselves() {
        let refused = |code| StoreError::Refused { code, message: String::new() };
        let stored = |code| blame(&anyhow::Error::new(NotStored(refused(code))).context("loading"));
        assert_eq!(stored(469), Blame::Rows, "a constraint");
        assert_eq!(stored(33), Blame::Rows, "data that cannot be read");
        assert_eq!(stored(241), Blame::Size, "memory");
        assert_eq!(stored(49), Blame::Unknown, "a logical error");
        // Disk space, too many parts, a read-only table, timeouts, disk errors.
        for code in [243, 252, 242, 159, 74, 75, 76, 425] {
            assert_eq!(stored(code), Blame::Moment, "{code}");
        }
        let away = StoreError::Unavailable("down".to_owned());
        assert_eq!(blame(&NotStored(away.clone()).into()), Blame::Moment);
        let (host, reason) = ("events2:8123".to_owned(), "down".to_owned());
        let lost = StoreError::ShardLost { shard: 2, host, reason };
        assert_eq!(blame(&NotStored(lost).into()), Blame::Moment);
        // Rows that are stored are not to blame for failures in what is counted from them.
        assert_eq!(blame(&refused(241).into()), Blame::Aftermath);
        assert_eq!(blame(&away.into()), Blame::Moment);
        assert_eq!(blame(&anyhow::anyhow!("the database")), Blame::Moment);
    }
}
