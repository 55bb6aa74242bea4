//! A comparison of two stores: a file with all of it, a line for each table, and every difference.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use uuid::Uuid;

use crate::backup::progress::say;
use atrium_core::db::transfer::TableSum;

const FILE: &str = "move.tsv";
/// Further differences are not printed.
const SHOWN: usize = 100;

#[derive(Clone, Debug)]
pub struct Line {
    pub table: String,
    /// Nil if the table is not about apps.
    pub app: Uuid,
    /// Empty if the table has no days.
    pub day: String,
    pub here: u64,
    pub there: u64,
    pub is_same: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Comparison {
    pub lines: Vec<Line>,
}

impl Comparison {
    pub fn rows(&self) -> u64 {
        self.lines.iter().map(|line| line.there).sum()
    }

    pub fn rows_of(&self, table: &str) -> u64 {
        self.lines.iter().filter(|line| line.table == table).map(|line| line.there).sum()
    }

    /// Prints a line for each table and every difference. Fails if there are any.
    pub fn judge(&self) -> anyhow::Result<()> {
        let mut tables: BTreeMap<&str, (u64, BTreeSet<Uuid>, BTreeSet<&str>)> = BTreeMap::new();
        for line in &self.lines {
            let (rows, apps, days) = tables.entry(&line.table).or_default();
            *rows += line.there;
            apps.insert(line.app);
            days.insert(&line.day);
        }
        for (table, (rows, apps, days)) in tables {
            say(&format!("  {table}: {rows} rows of {} apps on {} days", apps.len(), days.len()));
        }
        let different: Vec<&Line> = self.lines.iter().filter(|line| !line.is_same).collect();
        for line in different.iter().take(SHOWN) {
            let Line { table, app, day, here, there, .. } = line;
            say(&format!("  DIFFERS: {table}, app {app}, day {day:?}: {here} here, {there} there"));
        }
        match different.len() {
            0 => Ok(()),
            count => bail!(
                "the two event stores differ in {count} places; nothing was switched over, and \
                 the server keeps running as before. Run the move again"
            ),
        }
    }

    /// Writes all of it into a file of the data folder.
    pub fn write(&self, folder: &Path, tables: &[(String, TableSum)]) -> anyhow::Result<PathBuf> {
        let file = folder.join(FILE);
        let mut options = std::fs::OpenOptions::new();
        let out = options.write(true).create(true).truncate(true).mode(0o600).open(&file);
        let out = out.with_context(|| format!("{} cannot be written", file.display()))?;
        let mut out = std::io::BufWriter::new(out);
        writeln!(out, "store\ttable\tapp\tday\there\tthere\tsame")?;
        for Line { table, app, day, here, there, is_same } in &self.lines {
            writeln!(out, "events\t{table}\t{app}\t{day}\t{here}\t{there}\t{is_same}")?;
        }
        for (table, sum) in tables {
            let rows = sum.rows;
            // Rows stored differently from how they were sent have already failed the copy.
            writeln!(out, "database\t{table}\t\t\t{rows}\t{rows}\ttrue")?;
        }
        out.flush()?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_difference_is_enough() {
        let line = |here, there, is_same| Line {
            table: "events".to_owned(),
            app: Uuid::nil(),
            day: "2026-11-17".to_owned(),
            here,
            there,
            is_same,
        };
        let mut comparison = Comparison { lines: vec![line(3, 3, true)] };
        comparison.judge().unwrap();
        comparison.lines.push(line(2, 2, false));
        let said = comparison.judge().unwrap_err().to_string();
        assert!(said.contains("differ in 1 places"), "{said}");
        let folder = tempfile::tempdir().unwrap();
        let file = comparison.write(folder.path(), &[("users".to_owned(), TableSum::default())]);
        let text = std::fs::read_to_string(file.unwrap()).unwrap();
        assert_eq!(text.lines().count(), 4, "{text}");
        assert!(text.contains(
            "events\tevents\t00000000-0000-0000-0000-000000000000\t2026-11-17\t2\t2\tfalse"
        ));
        assert!(text.ends_with("database\tusers\t\t\t0\t0\ttrue\n"), "{text}");
    }
}
