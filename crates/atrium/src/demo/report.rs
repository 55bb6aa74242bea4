//! The output of the demo: who can sign in with what, and what there is to see. Its secrets are shown
//! only this once.

use std::fmt;

use serde::Serialize;

use atrium_core::types::Id;

#[derive(Serialize)]
pub struct Report {
    /// The server's URL.
    pub url: String,
    /// Generates the same events again.
    pub seed: u64,
    pub events: u64,
    /// The password of everyone.
    pub password: String,
    pub people: Vec<PersonReport>,
    pub teams: Vec<TeamReport>,
}

#[derive(Serialize)]
pub struct PersonReport {
    pub email: String,
    pub name: &'static str,
    pub teams: Vec<Standing>,
    /// Apps in which they have a role of their own; owners and admins of a team reach all its apps.
    pub apps: Vec<Standing>,
}

/// A person's role in a team or an app.
#[derive(Serialize)]
pub struct Standing {
    pub name: String,
    pub role: String,
}

#[derive(Serialize)]
pub struct TeamReport {
    pub id: Id,
    pub name: String,
    pub timezone: &'static str,
    pub apps: Vec<AppReport>,
}

#[derive(Serialize)]
pub struct AppReport {
    pub id: Id,
    pub name: String,
    pub timezone: &'static str,
    pub events: u64,
    pub collect_key: String,
    pub access_key: AccessKey,
}

#[derive(Serialize)]
pub struct AccessKey {
    pub id: String,
    pub secret: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "The demo is ready: {} events, seed {}.\n", grouped(self.events), self.seed)?;
        writeln!(f, "Sign in with any of these addresses and the password {}", self.password)?;
        for person in &self.people {
            let all = person.teams.iter().chain(&person.apps);
            let all: Vec<_> = all.map(|it| format!("{} of {}", it.role, it.name)).collect();
            writeln!(f, "  {:<26} {}: {}", person.email, person.name, all.join(", "))?;
        }
        for team in &self.teams {
            writeln!(f, "\n{} ({})", team.name, team.timezone)?;
            for app in &team.apps {
                let events = grouped(app.events);
                writeln!(f, "  {} ({}), {events} events", app.name, app.timezone)?;
                writeln!(f, "    collect key  {}", app.collect_key)?;
                let AccessKey { id, secret } = &app.access_key;
                writeln!(f, "    access key   {id}  secret {secret}")?;
            }
        }
        writeln!(f, "\nPassword and secrets are not shown again.")?;
        write!(f, "Next: `atrium serve` with the same settings, then open {}", self.url)
    }
}

/// A number with separators: 2,000,000.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_read_by_thousands() {
        assert_eq!(
            [7, 999, 1_000, 2_000_000].map(super::grouped),
            ["7", "999", "1,000", "2,000,000"]
        );
    }
}
