//! The sort order of names: Chinese ones by pinyin, in either console language, because a team's
//! members and apps are the same in both. Matches the console's `byName`.

use std::sync::LazyLock;

use icu_collator::options::CollatorOptions;
use icu_collator::preferences::CollationNumericOrdering;
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use icu_locale_core::locale;

/// Change this whenever `order` changes: the keys in the database are then recomputed.
pub const RULES: &str = "pinyin of ICU4X 2.4";

static COLLATOR: LazyLock<CollatorBorrowed<'static>> = LazyLock::new(|| {
    let mut preferences = CollatorPreferences::from(locale!("zh"));
    preferences.numeric_ordering = Some(CollationNumericOrdering::True);
    Collator::try_new(preferences, CollatorOptions::default())
        .expect("the rules of Chinese are compiled in")
});

/// A key that any database sorts bytewise in the order people expect of the name.
pub fn order(name: &str) -> String {
    let mut key = Vec::new();
    let Ok(()) = COLLATOR.write_sort_key_to(name, &mut key);
    hex::encode(key)
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

    /// Stored keys must not mix with keys computed by other rules.
    #[test]
    fn another_order_is_another_version() {
        assert_eq!(
            order("陈 A2"),
            "521604a51004010801c4dc05",
            "the rules changed: change RULES too"
        );
    }
}
