//! A statement on its way to a server.

use std::time::Duration;

use bytes::Bytes;

use crate::params::Param;

/// Options of an INSERT.
#[derive(Clone, Debug, Default)]
pub struct Insert<'a> {
    /// The same data with the same token is stored once.
    pub token: Option<&'a str>,
    pub query_id: Option<&'a str>,
    /// Two minutes, if none is given.
    pub timeout: Option<Duration>,
}

/// A statement with its parameters, settings and limits.
#[derive(Clone)]
pub(crate) struct Call<'a> {
    pub sql: &'a str,
    pub params: &'a [(&'a str, Param)],
    pub settings: Vec<(&'a str, String)>,
    /// Data that follows the statement. The statement itself then goes into the URL.
    pub data: Option<Bytes>,
    pub query_id: Option<&'a str>,
    pub limit: Duration,
    /// At most this many bytes of the answer are read into memory.
    pub most: Option<usize>,
    /// False only before there is a database.
    pub in_database: bool,
    /// Whether it only reads. A statement that reads waits at the gate, if there is one.
    pub reads: bool,
}

impl<'a> Call<'a> {
    pub fn new(sql: &'a str, params: &'a [(&'a str, Param)], limit: Duration) -> Self {
        Self {
            sql,
            params,
            // The right-hand side of our joins is the smaller one. Newer servers would decide that from
            // earlier statements, and put millions of events into the hash table.
            settings: vec![("join_algorithm", "hash".to_owned())],
            data: None,
            query_id: None,
            limit,
            most: None,
            in_database: true,
            reads: false,
        }
    }

    pub fn set(mut self, name: &'a str, value: impl ToString) -> Self {
        self.settings.push((name, value.to_string()));
        self
    }

    /// A longer answer is an error (`Error::is_too_large`).
    pub fn at_most(mut self, bytes: usize) -> Self {
        self.most = Some(bytes);
        self
    }

    /// For rows that may legitimately repeat earlier ones: those were removed in between, or two equal
    /// rows are meant. A fresh token turns off deduplication in every version of ClickHouse; newer
    /// versions have a setting that overrides `insert_deduplicate`, which older ones do not know.
    #[expect(
        clippy::disallowed_methods,
        clippy::expect_used,
        reason = "no test wants to know this token"
    )]
    pub fn never_a_duplicate(self) -> Self {
        let mut token = [0_u8; 16];
        getrandom::fill(&mut token).expect("the system's random generator works");
        self.set("insert_deduplicate", 0).set("insert_deduplication_token", hex::encode(token))
    }

    /// For a statement that lists thousands of items. One size for all, because statements with the same
    /// settings share their sessions.
    pub fn long(self) -> Self {
        self.set("max_query_size", 64 << 20)
    }

    /// Settings of every question: it changes nothing, and JSON has integers as numbers.
    pub fn reading(mut self) -> Self {
        let seconds = self.limit.as_secs().max(1);
        self.reads = true;
        self.set("readonly", 1)
            // When the caller hangs up, a server ends the statement. The embedded engine does so by
            // itself.
            .set("cancel_http_readonly_queries_on_client_close", 1)
            .set("max_execution_time", seconds)
            .set("output_format_json_quote_64bit_integers", 0)
            // The status must say whether the whole query succeeded, so the server may send it only at
            // the end.
            .set("wait_end_of_query", 1)
    }
}
