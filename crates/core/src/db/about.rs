//! What an operator wants to know about the database: which one it is, its size, and how many of its
//! connections are in use.

use sqlx::AnyPool;

use super::{Db, Dialect};
use crate::error::Result;

/// The possible pools: one on PostgreSQL, two on SQLite.
pub const POOLS: [&str; 3] = ["shared", "read", "write"];

pub struct PoolUse {
    pub pool: &'static str,
    pub most: u32,
    pub idle: u32,
    pub in_use: u32,
}

impl PoolUse {
    fn of(pool: &'static str, connections: &AnyPool) -> Self {
        let open = connections.size();
        let idle = u32::try_from(connections.num_idle()).unwrap_or(open).min(open);
        let most = connections.options().get_max_connections();
        Self { pool, most, idle, in_use: open - idle }
    }
}

pub struct About {
    pub version: String,
    pub bytes: i64,
}

impl Dialect {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

impl Db {
    pub fn pool_use(&self) -> Vec<PoolUse> {
        match self.dialect {
            Dialect::Postgres => vec![PoolUse::of("shared", &self.readers)],
            Dialect::Sqlite => {
                vec![PoolUse::of("read", &self.readers), PoolUse::of("write", &self.writers)]
            }
        }
    }

    pub async fn about(&self) -> Result<About> {
        let (version, bytes) = match self.dialect {
            Dialect::Sqlite => (
                "SELECT sqlite_version()",
                "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
            ),
            Dialect::Postgres => (
                "SELECT current_setting('server_version')",
                "SELECT pg_database_size(current_database())",
            ),
        };
        let mut connection = self.read().await?;
        let version = sqlx::query_scalar(version).fetch_one(&mut *connection).await?;
        let bytes = sqlx::query_scalar(bytes).fetch_one(&mut *connection).await?;
        Ok(About { version, bytes })
    }
}
