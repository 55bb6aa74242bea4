//! Properties in profiles of users and devices, joined to the events by their numbers.

use crate::conditions::Property;
use crate::owners::{Whose, owned};
use crate::params::Param;
use crate::rows::Kind;
use crate::statement::{HIDDEN, HiddenAs, NOT_SET, Statement};

use super::groups::labels_of;

/// Callers who may not see personal data see no texts of profiles: those are about one person.
fn without_texts(
    this: &Statement,
    property: &Property,
    elements: &str,
    hidden_as: HiddenAs,
) -> String {
    let has_text = "arrayExists(e -> startsWith(e, '\"'), found)";
    let plain = "arrayFilter(e -> NOT startsWith(e, '\"'), found)";
    let labels = labels_of(this, property, plain, hidden_as);
    let own = match hidden_as {
        HiddenAs::Nothing => labels,
        HiddenAs::Hidden => format!(
            "arrayFilter(label -> label != '{NOT_SET}' OR NOT {has_text}, \
             arrayConcat({labels}, if({has_text}, ['{HIDDEN}'], [])))"
        ),
    };
    format!("arrayMap(found -> {own}, [{elements}])[1]")
}

impl Statement {
    /// A subquery for profiles with the columns of an event of that user or device, and the expression
    /// for its hash in `identities`.
    pub(super) fn profiles(&mut self, kind: Kind) -> (&'static str, String) {
        let kind_name = self.bind("String", Param::from(kind.as_str()));
        let (user, device, hash) = match kind {
            Kind::User => ("id", "''", "xxHash64(concat('u', id))"),
            Kind::Device => ("''", "id", "xxHash64(concat('d', id))"),
        };
        let profiles = format!(
            "(SELECT id, properties, {user} AS user_id, {device} AS device_id FROM profiles FINAL \
             WHERE app_id = {} AND kind = {kind_name} AND NOT deleted)",
            self.app
        );
        (hash, profiles)
    }

    /// An expression for the labels of a profile's value at a path, as a list. A value is hidden in a
    /// profile where it would be hidden in an event of that user or device.
    pub(super) fn profile_labels(
        &mut self,
        kind: Kind,
        path: &[String],
        hidden_as: HiddenAs,
    ) -> String {
        let column = format!("profile_{}", self.joins());
        let property = Property::Path(path.to_vec());
        let labels = self.without_columns(|this| {
            let elements = this.elements(&property);
            match this.shown {
                None => labels_of(this, &property, &elements, hidden_as),
                Some(_) => without_texts(this, &property, &elements, hidden_as),
            }
        });
        let (hash, profiles) = self.profiles(kind);
        let app = &self.app;
        let numbered = format!(
            "(SELECT max((fence, no)).2 AS number, any({column}) AS {column} \
             FROM (SELECT hash, fence, no FROM identities WHERE app_id = {app}) AS i \
             INNER JOIN (SELECT {hash} AS hash, {labels} AS {column} FROM {profiles} \
                 WHERE {column} != ['{NOT_SET}']) AS p USING (hash) \
             GROUP BY hash)"
        );
        let (rows, number) = match (kind, self.whose) {
            (Kind::Device, _) => {
                (format!("(SELECT number AS device_no, {column} FROM {numbered})"), "device_no")
            }
            (Kind::User, Whose::AsSent) => {
                (format!("(SELECT number AS person_no, {column} FROM {numbered})"), "person_no")
            }
            // This includes events that a user's devices sent without a user.
            (Kind::User, Whose::Owners) => (
                format!(
                    "(SELECT arrayJoin(arrayPushBack(devices, number)) AS person_no, {column} \
                     FROM {numbered} AS n ANY LEFT JOIN (\
                         SELECT owner AS number, groupArray(person_no) AS devices FROM {} \
                         GROUP BY owner) AS d USING (number))",
                    owned(app)
                ),
                "person_no",
            ),
        };
        self.join(&rows, number);
        format!("if(empty({column}), ['{NOT_SET}'], {column})")
    }
}
