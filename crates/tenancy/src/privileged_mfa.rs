//! Owners and operators need a second factor after a grace period, which begins when they get the role
//! or when this instance starts requiring it, whichever is later.

use sqlx::AnyConnection;

use crate::store::accounts::Shown;
use crate::store::orgs;
use atrium_core::config::Settings;
use atrium_core::db::Db;
use atrium_core::error::Result;
use atrium_core::types::{Id, Millis};

#[derive(Clone, Copy, Debug)]
pub struct PrivilegedMfa(Option<Rule>);

#[derive(Clone, Copy, Debug)]
struct Rule {
    since: Millis,
    grace: i64,
}

impl PrivilegedMfa {
    /// Records when the rule first applied, and forgets that while the rule is off: turning it on again
    /// starts a new grace period.
    pub async fn open(settings: &Settings, db: &Db, now: Millis) -> Result<Self> {
        let Some(grace) = settings.privileged_mfa_grace else {
            let mut tx = db.write_relaxed().await?;
            sqlx::query("UPDATE instance SET privileged_mfa_since = NULL")
                .execute(&mut *tx)
                .await?;
            tx.commit().await?;
            return Ok(Self(None));
        };
        let mut tx = db.write_uncached().await?;
        let since = sqlx::query_scalar(
            "UPDATE instance SET privileged_mfa_since = COALESCE(privileged_mfa_since, $1)
             RETURNING privileged_mfa_since",
        );
        let since = since.bind(now).fetch_one(&mut *tx).await?;
        tx.commit().await?;
        Ok(Self(Some(Rule { since, grace })))
    }

    /// Anyone who became an owner or operator before this needs a factor now; nobody at 0.
    pub fn due_before(&self, now: Millis) -> Millis {
        match self.0 {
            Some(rule) if now.since(rule.since) >= rule.grace => now.plus(1 - rule.grace),
            _ => Millis(0),
        }
    }

    /// When someone who has been an owner or operator since `since` needs a factor.
    pub fn deadline(&self, since: Millis) -> Option<Millis> {
        self.0.map(|rule| since.max(rule.since).plus(rule.grace))
    }

    /// When someone needs a factor because of their role. None for everyone else.
    pub async fn deadline_of(
        &self,
        db: &mut AnyConnection,
        user_id: &Id,
        operator_since: Option<Millis>,
        shown: Shown<'_>,
    ) -> Result<Option<Millis>> {
        if self.0.is_none() {
            return Ok(None);
        }
        let owner_since = orgs::owner_since(db, user_id, shown.session_id).await?;
        let since = owner_since.into_iter().chain(operator_since).min();
        Ok(since.and_then(|since| self.deadline(since)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_counts_from_the_later_of_two_moments() {
        let rule = PrivilegedMfa(Some(Rule { since: Millis(1_000), grace: 100 }));
        assert_eq!(rule.deadline(Millis(500)), Some(Millis(1_100)));
        assert_eq!(rule.deadline(Millis(2_000)), Some(Millis(2_100)));
        for (now, since, due) in
            [(1_099, 500, false), (1_100, 500, true), (2_099, 2_000, false), (2_100, 2_000, true)]
        {
            let (now, since) = (Millis(now), Millis(since));
            assert_eq!(since < rule.due_before(now), due, "{now:?} {since:?}");
            assert_eq!(rule.deadline(since).unwrap() <= now, due, "{now:?} {since:?}");
        }
        let at_once = PrivilegedMfa(Some(Rule { since: Millis(1_000), grace: 0 }));
        assert!(Millis(1_000) < at_once.due_before(Millis(1_000)));
        assert_eq!(PrivilegedMfa(None).deadline(Millis(1)), None);
        assert_eq!(PrivilegedMfa(None).due_before(Millis(i64::MAX)), Millis(0));
    }
}
