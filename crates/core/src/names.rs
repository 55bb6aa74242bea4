//! The order of names: Chinese ones by their pinyin, in either language of the console, because a
//! team's members and apps are the same in both. It is the order of the console's `byName`.

use std::sync::LazyLock;

use icu_collator::options::CollatorOptions;
use icu_collator::preferences::CollationNumericOrdering;
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use icu_locale_core::locale;

use crate::db::Write;

/// Another one whenever `order` changes: names in the database are then ordered anew.
const RULES: &str = "pinyin of ICU4X 2.4";

/// Tables with names that people look for.
const NAMED: &[&str] = &["users", "organizations", "apps", "app_roles", "access_keys"];

static COLLATOR: LazyLock<CollatorBorrowed<'static>> = LazyLock::new(|| {
    let mut preferences = CollatorPreferences::from(locale!("zh"));
    preferences.numeric_ordering = Some(CollationNumericOrdering::True);
    Collator::try_new(preferences, CollatorOptions::default())
        .expect("the rules of Chinese are compiled in")
});

/// A text that any database sorts by its bytes or letters as people sort the name.
pub fn order(name: &str) -> String {
    let mut key = Vec::new();
    let Ok(()) = COLLATOR.write_sort_key_to(name, &mut key);
    hex::encode(key)
}

/// Orders every name by the rules of this program: all of them when the rules are new, else those that an
/// older program wrote, which knows no such column.
pub async fn reorder(tx: &mut Write) -> anyhow::Result<()> {
    let version: String =
        sqlx::query_scalar("SELECT version FROM name_order_rules").fetch_one(&mut **tx).await?;
    let which = if version == RULES { "name_order = '' AND name <> ''" } else { "1 = 1" };
    for table in NAMED {
        let select = format!("SELECT id, name FROM {table} WHERE {which}");
        let names: Vec<(String, String)> =
            sqlx::query_as(sqlx::AssertSqlSafe(select)).fetch_all(&mut **tx).await?;
        for (id, name) in names {
            let update = format!("UPDATE {table} SET name_order = $1 WHERE id = $2");
            sqlx::query(sqlx::AssertSqlSafe(update))
                .bind(order(&name))
                .bind(id)
                .execute(&mut **tx)
                .await?;
        }
    }
    sqlx::query("UPDATE name_order_rules SET version = $1 WHERE version <> $1")
        .bind(RULES)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn names_stand_where_people_look_for_them() {
        let names = ["陈浩", "林悦", "孙倩", "王敏", "赵宇", "周凯", "App 2", "app 10", "Zoé"];
        let mut sorted = names;
        sorted.reverse();
        sorted.sort_by_key(|name| order(name));
        assert_eq!(sorted, names);
    }

    /// What is stored must not be mixed with what is computed by other rules.
    #[test]
    fn another_order_is_another_version() {
        assert_eq!(
            order("陈 A2"),
            "521604a51004010801c4dc05",
            "the rules changed: change RULES too"
        );
    }
}
