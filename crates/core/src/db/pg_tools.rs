//! `pg_dump` and `pg_restore`, for copies of a whole PostgreSQL database. They get the address through
//! environment variables: everyone on the machine can read a process's arguments.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::str::FromStr;

use anyhow::{Context, bail};
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{AnyConnection, AssertSqlSafe, Connection};
use url::Url;

/// A database as of the moment this was made, for as long as it is held.
pub struct PgSnapshot {
    connection: AnyConnection,
    name: String,
    url: String,
}

impl PgSnapshot {
    pub async fn of(url: &str) -> anyhow::Result<Self> {
        let mut connection = AnyConnection::connect(url).await?;
        sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .execute(&mut connection)
            .await?;
        let name =
            sqlx::query_scalar("SELECT pg_export_snapshot()").fetch_one(&mut connection).await?;
        Ok(Self { connection, name, url: url.to_owned() })
    }

    pub async fn rows(&mut self) -> anyhow::Result<BTreeMap<String, i64>> {
        rows_of(&mut self.connection).await
    }

    /// Writes the whole database into a file that `restore` reads.
    pub async fn dump(&mut self, into: &Path) -> anyhow::Result<()> {
        let mut command = tool("pg_dump", &self.url)?;
        command
            // The archive around it is compressed.
            .args(["--format=custom", "--compress=0", "--no-owner", "--no-privileges"])
            .arg(format!("--snapshot={}", self.name))
            .arg("--file")
            .arg(into);
        run(command).await
    }
}

/// Fills an empty database from a dump, completely or not at all.
pub async fn restore(url: &str, from: &Path) -> anyhow::Result<()> {
    let mut connection = AnyConnection::connect(url).await.context("database_url")?;
    let tables = tables(&mut connection).await?;
    connection.close().await?;
    if let Some(first) = tables.first() {
        bail!("database_url: the database is not empty; it has a table {first}");
    }
    let name = PgConnectOptions::from_str(url)?.get_database().unwrap_or_default().to_owned();
    let mut command = tool("pg_restore", url)?;
    command
        .args(["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"])
        .arg(format!("--dbname={name}"))
        .arg(from);
    run(command).await
}

/// The number of rows in each table.
pub async fn rows_of(connection: &mut AnyConnection) -> anyhow::Result<BTreeMap<String, i64>> {
    let mut rows = BTreeMap::new();
    for table in tables(connection).await? {
        let sql = format!("SELECT COUNT(*) FROM \"{}\"", table.replace('"', "\"\""));
        let count = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut *connection).await?;
        rows.insert(table, count);
    }
    Ok(rows)
}

async fn tables(connection: &mut AnyConnection) -> anyhow::Result<Vec<String>> {
    let tables = sqlx::query_scalar(
        "SELECT CAST(table_name AS TEXT) FROM information_schema.tables
         WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1",
    );
    Ok(tables.fetch_all(connection).await?)
}

fn tool(name: &str, url: &str) -> anyhow::Result<Command> {
    let options = PgConnectOptions::from_str(url).context("database_url")?;
    let url = Url::parse(url).context("database_url")?;
    let given = |names: &[&str]| {
        let found = url.query_pairs().find(|(name, _)| names.contains(&&**name));
        found.map(|(_, value)| value.into_owned())
    };
    let password = match url.password() {
        Some(text) => {
            Some(percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned())
        }
        None => given(&["password"]),
    };
    let host = match options.get_socket() {
        Some(folder) => folder.display().to_string(),
        None => options.get_host().to_owned(),
    };
    let mode = match options.get_ssl_mode() {
        PgSslMode::Disable => "disable",
        PgSslMode::Allow => "allow",
        PgSslMode::Prefer => "prefer",
        PgSslMode::Require => "require",
        PgSslMode::VerifyCa => "verify-ca",
        PgSslMode::VerifyFull => "verify-full",
    };
    let mut command = Command::new(name);
    command
        .env("PGHOST", host)
        .env("PGPORT", options.get_port().to_string())
        .env("PGUSER", options.get_username())
        .env("PGDATABASE", options.get_database().unwrap_or(options.get_username()))
        .env("PGSSLMODE", mode)
        .env("PGAPPNAME", "atrium")
        .env("PGCONNECT_TIMEOUT", "10")
        .envs(password.map(|text| ("PGPASSWORD", text)))
        .envs(
            given(&["sslrootcert", "ssl-root-cert", "ssl-ca"]).map(|file| ("PGSSLROOTCERT", file)),
        )
        .envs(given(&["sslcert", "ssl-cert"]).map(|file| ("PGSSLCERT", file)))
        .envs(given(&["sslkey", "ssl-key"]).map(|file| ("PGSSLKEY", file)))
        .envs(given(&["options"]).map(|text| ("PGOPTIONS", text)));
    Ok(command)
}

async fn run(mut command: Command) -> anyhow::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let ended = tokio::task::spawn_blocking(move || command.output()).await?;
    let ended = ended.with_context(|| {
        format!("{name}, which comes with PostgreSQL's client programs, cannot be started")
    })?;
    if !ended.status.success() {
        bail!("{name} failed: {}", String::from_utf8_lossy(&ended.stderr).trim());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_in_no_argument() {
        let url = "postgres://an:p%40ss@db.example:6543/main?sslmode=verify-full&sslrootcert=/ca";
        let command = tool("pg_dump", url).unwrap();
        assert_eq!(command.get_args().count(), 0);
        let variables: BTreeMap<String, String> = command
            .get_envs()
            .map(|(name, value)| {
                let text = |it: &std::ffi::OsStr| it.to_str().unwrap().to_owned();
                (text(name), text(value.unwrap()))
            })
            .collect();
        let expected = [
            ("PGHOST", "db.example"),
            ("PGPORT", "6543"),
            ("PGUSER", "an"),
            ("PGDATABASE", "main"),
            ("PGPASSWORD", "p@ss"),
            ("PGSSLMODE", "verify-full"),
            ("PGSSLROOTCERT", "/ca"),
        ];
        for (name, value) in expected {
            assert_eq!(variables.get(name).map(String::as_str), Some(value), "{name}");
        }
    }
}
