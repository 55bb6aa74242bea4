//! The only connection to the warehouse: ClickHouse's HTTP interface, embedded or remote.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::Stream;
use parking_lot::Mutex;
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;
use url::Url;

use crate::address_file;
use crate::answer::{Failure, RowStream, answered, read_rows, receive};
use crate::embedded::{Embedded, Plan, State};
use crate::engine::QUEUE_WAIT;
use crate::error::Error;
use crate::figures::{Figures, StatementKind};
use crate::gate::Gate;
use crate::location::{Location, Names, Server, own_names};
use crate::params::Param;
use crate::rollup_cache::RollupCaches;
use crate::schema_state::SchemaState;

const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// How long a question may take, unless the caller is more patient.
const QUERY_LIMIT: Duration = Duration::from_secs(30);
/// How long an answer may be late before the engine counts as hanging: it was told the limit.
const GRACE: Duration = Duration::from_secs(5);
const BUSY_PAUSE: Duration = Duration::from_secs(1);
/// Bound values go into the address, and no server reads one of 64 KiB.
const MAX_ADDRESS: usize = 60_000;
const TOO_LARGE_STRING_SIZE: i32 = 131;

/// Settings of every INSERT.
const INSERT_SETTINGS: &[(&str, &str)] =
    &[("deduplicate_blocks_in_dependent_materialized_views", "1")];

/// How an INSERT is to be made.
#[derive(Clone, Debug, Default)]
pub struct Insert<'a> {
    /// The same data with the same token is stored once.
    pub token: Option<&'a str>,
    pub query_id: Option<&'a str>,
    /// Two minutes, if none is given.
    pub timeout: Option<Duration>,
}

/// A handle to the warehouse. Clones share everything.
#[derive(Clone)]
pub struct Warehouse {
    inner: Arc<Inner>,
    limit: Duration,
    /// Where statements that read wait for their turn; none for the server's own work.
    gate: Option<Arc<dyn Gate>>,
}

struct Inner {
    http: reqwest::Client,
    source: Source,
    names: Names,
    schema: SchemaState,
    rollup_caches: RollupCaches,
    figures: Figures,
}

enum Source {
    Embedded(Embedded),
    Remote { server: Server, state: Mutex<State> },
}

/// A statement on its way.
#[derive(Clone)]
pub(crate) struct Call<'a> {
    pub sql: &'a str,
    pub params: &'a [(&'a str, Param)],
    pub settings: Vec<(&'a str, String)>,
    /// What goes after the statement; then the statement itself goes into the address.
    pub data: Option<Bytes>,
    pub query_id: Option<&'a str>,
    pub limit: Duration,
    /// False only before there is a database.
    pub in_database: bool,
    /// Whether it only reads: then it waits at the gate, if there is one.
    reads: bool,
}

impl<'a> Call<'a> {
    pub fn new(sql: &'a str, params: &'a [(&'a str, Param)], limit: Duration) -> Self {
        Self {
            sql,
            params,
            settings: Vec::new(),
            data: None,
            query_id: None,
            limit,
            in_database: true,
            reads: false,
        }
    }

    pub fn set(mut self, name: &'a str, value: impl ToString) -> Self {
        self.settings.push((name, value.to_string()));
        self
    }

    /// For a statement that names thousands of things. One size for all, because statements share
    /// their sessions with those of the same settings.
    pub fn long(self) -> Self {
        self.set("max_query_size", 64 << 20)
    }

    /// Settings of every question: it changes nothing, and integers are numbers in JSON.
    pub fn reading(mut self) -> Self {
        let seconds = self.limit.as_secs().max(1);
        self.reads = true;
        self.set("readonly", 1)
            // Whoever hangs up wants no answer: a server ends the statement. The embedded engine
            // does so by itself.
            .set("cancel_http_readonly_queries_on_client_close", 1)
            .set("max_execution_time", seconds)
            .set("output_format_json_quote_64bit_integers", 0)
            // The status tells whether all went well: a server must not send it before it knows.
            .set("wait_end_of_query", 1)
    }
}

impl Warehouse {
    /// Returns at once; in the embedded case the engine starts in the background. Must be called
    /// within a runtime.
    pub fn open(location: Location) -> Self {
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_LIMIT)
            .pool_idle_timeout(Duration::from_secs(5))
            .tcp_nodelay(true)
            .no_proxy()
            // Nor may an answer send us, and the password, somewhere else.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap_or_default();
        let (source, names) = match location {
            Location::Embedded { folder, library, program, memory_mb } => {
                let plan = Plan { folder, library, program, memory_mb };
                (Source::Embedded(Embedded::start(plan)), own_names())
            }
            Location::Remote { url } => {
                let (server, names) = Server::at(&url);
                (Source::Remote { server, state: Mutex::new(State::Starting) }, names)
            }
        };
        let schema = SchemaState::default();
        let (rollup_caches, figures) = (RollupCaches::default(), Figures::new());
        let inner = Inner { http, source, names, schema, rollup_caches, figures };
        Self { inner: Arc::new(inner), limit: QUERY_LIMIT, gate: None }
    }

    /// The same store, for statements that may take this long.
    pub fn patient(&self, limit: Duration) -> Self {
        Self { limit, ..self.clone() }
    }

    /// The same store, for someone whose questions wait for their turn.
    pub fn behind(&self, gate: Arc<dyn Gate>) -> Self {
        Self { gate: Some(gate), ..self.clone() }
    }

    /// Ends the embedded engine. Statements after that fail.
    pub async fn stop(&self) {
        if let Source::Embedded(embedded) = &self.inner.source {
            embedded.stop().await;
        }
    }

    /// How the store is, as far as is known without asking it.
    pub fn state(&self) -> State {
        match &self.inner.source {
            Source::Embedded(embedded) => embedded.state(),
            Source::Remote { state, .. } => state.lock().clone(),
        }
    }

    /// Where the embedded engine answers just now, as a `warehouse_url` that a second server on this
    /// machine could be given; it changes when the engine is started anew.
    pub fn shared_url(&self) -> Option<Url> {
        let Source::Embedded(embedded) = &self.inner.source else { return None };
        let address = embedded.address()?;
        address_file::url(address.port, &address.secret, &self.names().database)
    }

    /// Grows whenever the embedded engine is started anew; always zero on a server.
    pub fn generation(&self) -> u64 {
        match &self.inner.source {
            Source::Embedded(embedded) => {
                embedded.address().map_or(0, |address| address.generation)
            }
            Source::Remote { .. } => 0,
        }
    }

    /// What the embedded engine's process takes of the machine's memory, where that can be told.
    pub fn engine_memory(&self) -> Option<u64> {
        match &self.inner.source {
            Source::Embedded(embedded) => resident_bytes(embedded.address()?.pid?),
            Source::Remote { .. } => None,
        }
    }

    pub(crate) fn why_not(&self) -> Error {
        Error::Unavailable(match self.state() {
            State::Starting => "it is starting".to_owned(),
            State::Up => "it did not answer in time".to_owned(),
            State::Down { reason, .. } => reason,
        })
    }

    /// Asks a question. `FORMAT` is added here; the rows are read as JSON objects.
    pub async fn query<T: DeserializeOwned>(
        &self,
        sql: &str,
        params: &[(&str, Param)],
    ) -> Result<Vec<T>, Error> {
        let sql = format!("{sql}\nFORMAT JSONEachRow");
        self.rows(Call::new(&sql, params, self.limit).reading()).await
    }

    /// Asks a question whose answer is JSON objects.
    pub(crate) async fn rows<T: DeserializeOwned>(&self, call: Call<'_>) -> Result<Vec<T>, Error> {
        read_rows(&self.call(call).await?)
    }

    /// Asks a question that names its own FORMAT.
    pub async fn bytes(&self, sql: &str, params: &[(&str, Param)]) -> Result<Bytes, Error> {
        self.call(Call::new(sql, params, self.limit).reading()).await
    }

    /// Changes something.
    pub async fn execute(&self, sql: &str, params: &[(&str, Param)]) -> Result<(), Error> {
        self.call(Call::new(sql, params, self.limit)).await.map(drop)
    }

    /// Stores rows: `INSERT INTO t (columns) FORMAT RowBinary` and the rows. After an error, of
    /// whatever kind, a part may be stored: the table may have its rows while a view has not.
    pub async fn insert(&self, sql: &str, body: Bytes, options: Insert<'_>) -> Result<(), Error> {
        let limit = options.timeout.unwrap_or(Duration::from_secs(120));
        let mut call = Call::new(sql, &[], limit);
        call.query_id = options.query_id;
        call.data = Some(body);
        for (name, value) in INSERT_SETTINGS {
            call = call.set(name, value);
        }
        if let Some(token) = options.token {
            call = call.set("insert_deduplication_token", token);
        }
        self.call(call).await.map(drop)
    }

    pub(crate) fn is_embedded(&self) -> bool {
        matches!(self.inner.source, Source::Embedded(_))
    }

    /// Waits until the embedded engine makes no change that it made before the call.
    pub(crate) async fn quiet(&self) -> Result<(), Error> {
        let (mut url, headers, _) = self.target()?;
        url.set_path("/quiet");
        let request = self.inner.http.get(url).headers(headers).timeout(QUEUE_WAIT + GRACE);
        receive(request).await.map(drop).map_err(|failure| failure.error)
    }

    /// Waits until the embedded engine has started; a server has its own times.
    pub(crate) async fn up(&self) {
        if let Source::Embedded(embedded) = &self.inner.source {
            embedded.up().await;
        }
    }

    pub(crate) fn schema_state(&self) -> &SchemaState {
        &self.inner.schema
    }

    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    pub(crate) fn rollup_caches(&self) -> &RollupCaches {
        &self.inner.rollup_caches
    }

    pub(crate) fn names(&self) -> &Names {
        &self.inner.names
    }

    /// Like `call`, for work that can wait: a store that has too much to do is asked again until it
    /// finds the time, for as long as the statement itself may take.
    pub(crate) async fn in_turn(&self, call: Call<'_>) -> Result<Bytes, Error> {
        let asked = Instant::now();
        loop {
            match self.call(call.clone()).await {
                Err(error) if error.is_busy() && asked.elapsed() < call.limit => {
                    tokio::time::sleep(BUSY_PAUSE).await;
                }
                outcome => return outcome,
            }
        }
    }

    pub(crate) async fn call(&self, call: Call<'_>) -> Result<Bytes, Error> {
        // Held for this statement and no longer: whoever has a turn waits for nothing else, so
        // nobody waits in a circle.
        let _turn = match &self.gate {
            Some(gate) if call.reads => Some(gate.enter().await.map_err(Error::Denied)?),
            _ => None,
        };
        let (request, generation) = self.prepare(&call)?;
        let kind = match (&call.data, call.reads, &self.gate) {
            (Some(_), ..) => StatementKind::Insert,
            (None, true, Some(_)) => StatementKind::Question,
            (None, true, None) => StatementKind::Read,
            (None, false, _) => StatementKind::Change,
        };
        let body = call.data.unwrap_or_else(|| Bytes::copy_from_slice(call.sql.as_bytes()));
        let since = Instant::now();
        let outcome = receive(request.body(body)).await;
        self.inner.figures.note(kind, since, outcome.as_ref().map_err(|failure| &failure.error));
        self.note(&outcome, generation);
        outcome.map_err(|failure| failure.error)
    }

    /// A statement on its way, but for its body.
    fn prepare(&self, call: &Call<'_>) -> Result<(reqwest::RequestBuilder, u64), Error> {
        let (mut url, headers, generation) = self.target()?;
        {
            let mut pairs = url.query_pairs_mut();
            if call.in_database {
                pairs.append_pair("database", &self.inner.names.database);
            }
            for (name, value) in &call.settings {
                pairs.append_pair(name, value);
            }
            for (name, value) in call.params {
                pairs.append_pair(&format!("param_{name}"), &value.render());
            }
            if let Some(id) = call.query_id {
                pairs.append_pair("query_id", id);
            }
            if let Some(gate) = self.gate.as_ref().filter(|_| call.reads) {
                pairs.append_pair("priority", &gate.priority().to_string());
                pairs.append_pair("os_thread_priority", &gate.nice().to_string());
            }
            if call.data.is_some() {
                pairs.append_pair("query", call.sql);
            }
        }
        if url.as_str().len() > MAX_ADDRESS {
            let message = "the bound values of a statement are too long".to_owned();
            return Err(Error::Refused { code: TOO_LARGE_STRING_SIZE, message });
        }
        let allowed = call.limit + QUEUE_WAIT + GRACE;
        Ok((self.inner.http.post(url).headers(headers).timeout(allowed), generation))
    }

    /// Asks a question whose answer is read as it comes.
    pub(crate) async fn stream(&self, call: Call<'_>) -> Result<RowStream, Error> {
        let (request, _) = self.prepare(&call)?;
        let request = request.body(Bytes::copy_from_slice(call.sql.as_bytes()));
        let response = answered(request).await.map_err(|failure| failure.error)?;
        Ok(RowStream(response))
    }

    /// Makes a change whose data is sent as it comes.
    pub(crate) async fn send(
        &self,
        mut call: Call<'_>,
        data: impl Stream<Item = std::io::Result<Bytes>> + Send + 'static,
    ) -> Result<(), Error> {
        // Says where the statement goes; what is sent is the stream.
        call.data = Some(Bytes::new());
        let (request, _) = self.prepare(&call)?;
        let request = request.body(reqwest::Body::wrap_stream(data));
        receive(request).await.map(drop).map_err(|failure| failure.error)
    }

    /// Where to send a statement now.
    fn target(&self) -> Result<(Url, HeaderMap, u64), Error> {
        let unusable = |_| Error::Unavailable("its address or password cannot be sent".to_owned());
        let mut headers = HeaderMap::new();
        match &self.inner.source {
            Source::Embedded(embedded) => {
                let address = embedded.address().ok_or_else(|| self.why_not())?;
                let url = Url::parse(&format!("http://127.0.0.1:{}/", address.port))
                    .map_err(|error| Error::Unavailable(error.to_string()))?;
                headers.insert("x-clickhouse-key", address.secret.parse().map_err(unusable)?);
                Ok((url, headers, address.generation))
            }
            Source::Remote { server, .. } => {
                headers.insert("x-clickhouse-user", server.user.parse().map_err(unusable)?);
                headers.insert("x-clickhouse-key", server.password.parse().map_err(unusable)?);
                Ok((server.url.clone(), headers, 0))
            }
        }
    }

    /// Remembers what an answer says about the store.
    fn note(&self, outcome: &Result<Bytes, Failure>, generation: u64) {
        match (&self.inner.source, outcome) {
            (Source::Embedded(embedded), Err(Failure { timed_out: true, error })) => {
                embedded.hangs(generation, error.to_string());
            }
            (Source::Embedded(_), _) => {}
            (Source::Remote { state, .. }, outcome) => {
                let mut state = state.lock();
                *state = match outcome {
                    Err(Failure { error: Error::Unavailable(reason), .. }) => {
                        let since = match &*state {
                            State::Down { since, .. } => *since,
                            _ => Instant::now(),
                        };
                        State::Down { since, reason: reason.clone() }
                    }
                    _ => State::Up,
                };
            }
        }
    }
}

/// As Linux tells it of any process.
pub fn resident_bytes(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}
