//! Sets of people: their ids, people by property of their profile, people by id.

use uuid::Uuid;

use super::Scope;
use crate::binary::Rows;
use crate::client::Warehouse;
use crate::conditions::{Condition, Filter, People};
use crate::error::Error;
use crate::identities::{DEVICE_HASH, Identity, USER_HASH};
use crate::owners::Whose;
use crate::rows::Kind;
use crate::statement::Statement;

/// A person in a set, with the times of their own events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonOf {
    pub kind: Kind,
    pub id: String,
    pub first_ms: i64,
    pub last_ms: i64,
}

impl Warehouse {
    /// A page of the people in a set, most recently seen first.
    pub async fn people_of(
        &self,
        app: Uuid,
        people: &People,
        limit: u64,
        offset: u64,
    ) -> Result<Vec<PersonOf>, Error> {
        let mut this = Statement::of(app, false, self.whose());
        let set = this.set(people);
        let (limit, offset) =
            (this.bind("UInt64", limit.into()), this.bind("UInt64", offset.into()));
        // Users and devices are numbered in one sequence, so a number belongs to only one of them.
        let seen = |table: &str, column: &str, hash: &str, is_user: u8| {
            format!(
                "SELECT toUInt8({is_user}) AS is_user, {column} AS id, min(first_seen) AS first, \
                    max(last_seen) AS last FROM {table} WHERE app_id = {app} AND {hash} IN (SELECT hash FROM hashes) \
                 GROUP BY id",
                app = this.app
            )
        };
        this.sql = format!(
            ", hashes AS (SELECT hash FROM (SELECT hash, max((fence, no)).2 AS number \
                 FROM identities WHERE app_id = {app} GROUP BY hash) WHERE number IN {set}) \
             SELECT is_user, id, toUnixTimestamp64Milli(first), toUnixTimestamp64Milli(last) \
             FROM ({} UNION ALL {}) ORDER BY last DESC, id LIMIT {limit} OFFSET {offset}",
            seen("users", "user_id", USER_HASH, 1),
            seen("devices", "device_id", DEVICE_HASH, 0),
            app = this.app
        );
        let answer = self.analyze(&this).await?;
        let mut rows = Rows::new(&answer);
        let mut found = Vec::new();
        while !rows.is_at_end() {
            let kind = if rows.u8()? == 1 { Kind::User } else { Kind::Device };
            let id = rows.text()?.to_owned();
            let (first_ms, last_ms) = (rows.i64()?, rows.i64()?);
            found.push(PersonOf { kind, id, first_ms, last_ms });
        }
        Ok(found)
    }

    /// The people with one of these ids, as a user or as a device.
    pub async fn people_named(&self, app: Uuid, ids: &[String]) -> Result<People, Error> {
        let identities: Vec<Identity> = ids
            .iter()
            .flat_map(|id| [Kind::User, Kind::Device].map(|kind| (kind, id)))
            .map(|(kind, id)| Identity::of(app, kind, id.as_bytes()))
            .collect();
        let numbers = self.person_ids(&identities).await?.into_values().collect();
        self.persons(app, &People::of(numbers)).await
    }

    /// The people behind these numbers: an owned device becomes its owner.
    async fn persons(&self, app: Uuid, numbers: &People) -> Result<People, Error> {
        if self.whose() == Whose::AsSent || numbers.is_empty() {
            return Ok(numbers.clone());
        }
        let mut this = Statement::of(app, false, self.whose());
        let set = this.set(numbers);
        let rows =
            self.whose().of(&this.app, "1 AS one", &format!("(SELECT no AS person_no FROM {set})"));
        this.sql = format!("SELECT groupBitmapState(person) FROM {rows}");
        self.one_set(&this).await
    }

    /// All people of an app.
    pub async fn everyone(&self, app: Uuid) -> Result<People, Error> {
        let mut this = Statement::of(app, false, self.whose());
        let numbers = format!(
            "(SELECT max((fence, no)).2 AS person_no FROM identities WHERE app_id = {} GROUP BY hash)",
            this.app
        );
        let rows = self.whose().of(&this.app, "1 AS one", &numbers);
        this.sql = format!("SELECT groupBitmapState(person) FROM {rows}");
        self.one_set(&this).await
    }

    /// The users or devices whose profile passes a test, by their own numbers. Those without a profile
    /// have no values.
    pub async fn numbers_with(
        &self,
        scope: &Scope,
        kind: Kind,
        filter: &Filter,
    ) -> Result<People, Error> {
        let mut this = Statement::of(scope.app, scope.hide_personal, self.whose());
        let (hash, profiles) = this.profiles(kind);
        // Hidden values are treated as absent.
        let passes = this.passes(&Filter { negated: false, ..filter.clone() });
        this.sql = format!(
            "SELECT groupBitmapState(number) FROM (\
                 SELECT hash, max((fence, no)).2 AS number FROM identities \
                 WHERE app_id = {} AND hash IN (SELECT {hash} FROM {profiles} WHERE {passes}) \
                 GROUP BY hash)",
            this.app
        );
        self.one_set(&this).await
    }

    /// The people whose own profile, or whose device's, passes a test; or all others if the test is
    /// negated.
    pub async fn people_with(
        &self,
        scope: &Scope,
        kind: Kind,
        filter: &Filter,
    ) -> Result<People, Error> {
        let found = self.persons(scope.app, &self.numbers_with(scope, kind, filter).await?).await?;
        match filter.negated {
            true => Ok(self.everyone(scope.app).await?.without(&found)),
            false => Ok(found),
        }
    }

    /// A condition for events of users, or from devices, whose profile passes a test.
    pub async fn has_profile(
        &self,
        scope: &Scope,
        kind: Kind,
        filter: &Filter,
    ) -> Result<Condition, Error> {
        let numbers = self.numbers_with(scope, kind, filter).await?;
        let condition = match kind {
            Kind::User => Condition::Among(numbers),
            Kind::Device => Condition::FromDevice(numbers),
        };
        Ok(if filter.negated { Condition::Not(Box::new(condition)) } else { condition })
    }
}
