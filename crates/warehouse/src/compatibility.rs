//! Which programs may use a schema, in both stores. A program is identified by the last migration it
//! knows.
//!
//! The first line of every migration says what it means for earlier releases:
//!
//! - `-- expand`: it only adds, and every program keeps working;
//! - `-- contract: 25`: it takes something away, and only programs that know migration 25 can do without
//!   it.
//!
//! This is recorded with the migration, so that a program can tell of migrations it does not know
//! whether it may keep running (docs/decisions/0037).

/// Recorded with an expanding migration.
const ANY_PROGRAM: u32 = 1;

/// The oldest program that may use a schema with this migration; zero where the migration does not say,
/// as in those published before this rule.
pub fn oldest_program(migration: &str) -> u32 {
    let first = migration.lines().next().unwrap_or_default().trim();
    match first.strip_prefix("-- contract:") {
        Some(number) => number.trim().parse().unwrap_or(0),
        None if first == "-- expand" => ANY_PROGRAM,
        None => 0,
    }
}

/// The oldest program that can do without what a migration takes away; None where it only adds.
pub fn takes_away_from(migration: &str) -> Option<u32> {
    Some(oldest_program(migration)).filter(|oldest| *oldest > ANY_PROGRAM)
}

/// Whether a program may use a schema with a migration that it does not know. One that has nothing
/// recorded is refused.
pub fn may_use(program: u32, oldest: u32) -> bool {
    (ANY_PROGRAM..=program).contains(&oldest)
}

/// Statements that the release before may not survive.
const TAKING_AWAY: &[&str] = &[
    "DROP ",
    "RENAME ",
    "EXCHANGE ",
    "TRUNCATE ",
    "DELETE ",
    "ALTER COLUMN",
    "MODIFY COLUMN",
    "SET NOT NULL",
];

/// What is wrong with a migration's first line, for the tests of both stores.
pub fn fault(number: u32, migration: &str) -> Option<String> {
    let oldest = oldest_program(migration);
    if oldest == 0 {
        return Some(format!("migration {number} must begin with `-- expand` or `-- contract: N`"));
    }
    if oldest >= number {
        return Some(format!("migration {number} does not include its own program"));
    }
    let statements = migration.lines().filter(|line| !line.trim_start().starts_with("--"));
    let statements = statements.collect::<Vec<_>>().join("\n").to_uppercase();
    // `ON DELETE` is part of a constraint, not a statement that deletes.
    let statements = statements.replace("ON DELETE ", "");
    let found = TAKING_AWAY.iter().find(|words| statements.contains(*words));
    match found {
        Some(words) if oldest == ANY_PROGRAM => Some(format!(
            "migration {number} declares `expand`, but {} removes something",
            words.trim()
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_says_who_may_go_on() {
        assert_eq!(oldest_program("-- expand\nALTER TABLE a ADD COLUMN b TEXT;"), ANY_PROGRAM);
        assert_eq!(oldest_program("-- contract: 25\nDROP TABLE a;"), 25);
        assert_eq!(takes_away_from("-- contract: 25\nDROP TABLE a;"), Some(25));
        assert_eq!(takes_away_from("-- expand\nALTER TABLE a ADD COLUMN b TEXT;"), None);
        assert_eq!(oldest_program("-- contract: soon\nDROP TABLE a;"), 0);
        assert_eq!(oldest_program("-- Some words.\nDROP TABLE a;"), 0);
    }

    #[test]
    fn a_program_goes_on_where_it_was_counted_in() {
        assert!(may_use(24, ANY_PROGRAM) && may_use(24, 23) && may_use(24, 24));
        assert!(!may_use(24, 25));
        assert!(!may_use(24, 0), "nothing was said");
    }

    #[test]
    fn what_a_migration_says_is_held_against_what_it_does() {
        assert_eq!(fault(26, "-- expand\n-- No DROP here.\nCREATE TABLE a (b TEXT);"), None);
        let refers = "CREATE TABLE a (b TEXT REFERENCES c (d) ON DELETE CASCADE);";
        assert_eq!(fault(26, &format!("-- expand\n{refers}")), None);
        assert!(fault(26, "-- expand\nDELETE FROM a;").unwrap().contains("DELETE"));
        assert_eq!(fault(26, "-- contract: 25\nDROP TABLE a;"), None);
        assert!(fault(26, "-- expand\nALTER TABLE a drop column b;").unwrap().contains("DROP"));
        assert!(fault(26, "CREATE TABLE a (b TEXT);").unwrap().contains("must begin"));
        assert!(fault(26, "-- contract: 26\nDROP TABLE a;").unwrap().contains("does not include"));
    }
}
