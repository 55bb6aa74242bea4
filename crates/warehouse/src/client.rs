//! The only connection to the warehouse: ClickHouse's HTTP interface, embedded or remote.

mod health;
mod inserting;
mod parts;
mod shards;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::Stream;
use serde::de::DeserializeOwned;
use url::Url;

use crate::address_file;
use crate::answer::{RowStream, answered, read, read_at_most, read_rows, receive, rows_read};
use crate::call::Call;
use crate::embedded::{Embedded, Plan, State};
use crate::engine::QUEUE_WAIT;
use crate::error::Error;
use crate::figures::{Figures, StatementKind};
use crate::gate::Gate;
use crate::location::{Address, Location, Names, Server, own_names};
use crate::params::Param;
use crate::property_sql::{Known, ReadColumns};
use crate::rollup_cache::RollupCaches;
use crate::schema_state::SchemaState;
use crate::set_limits::SetLimits;
use crate::source::{Source, resident_bytes, why_not};
use crate::versions::Versions;
pub use health::ShardHealth;
pub(crate) use parts::Parts;
use shards::{Cluster, REPLICATED_CHANGE};

const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// How long a question may take, unless the caller sets another limit (`patient`).
const QUERY_LIMIT: Duration = Duration::from_secs(30);
/// How late an answer may be before the engine counts as hanging; the engine knows the limit itself.
const GRACE: Duration = Duration::from_secs(5);
const BUSY_PAUSE: Duration = Duration::from_secs(1);
/// Parameters go into the URL, and no server accepts one of 64 KiB.
const MAX_ADDRESS: usize = 60_000;
const TOO_LARGE_STRING_SIZE: i32 = 131;

/// A handle to the warehouse. Clones share everything.
#[derive(Clone)]
pub struct Warehouse {
    inner: Arc<Inner>,
    limit: Duration,
    /// Where reading statements wait for their turn; None for the server's own work.
    gate: Option<Arc<dyn Gate>>,
    set_limits: SetLimits,
    /// Counts the rows that its statements read, if wanted.
    rows_read: Option<Arc<AtomicU64>>,
    /// Properties that questions read from materialized columns.
    columns: Arc<ReadColumns>,
    /// What is cached of an app's data is used where these versions allow it.
    versions: Option<Arc<Versions>>,
}

struct Inner {
    http: reqwest::Client,
    source: Source,
    names: Names,
    /// Set if the store is spread over several servers.
    cluster: Option<Cluster>,
    schema: SchemaState,
    rollup_caches: RollupCaches,
    property_columns: Known,
    figures: Figures,
}

/// A handle that does not keep the store open.
pub(crate) struct WeakWarehouse(Weak<Inner>);

impl WeakWarehouse {
    pub fn upgrade(&self) -> Option<Warehouse> {
        Some(Warehouse::of(self.0.upgrade()?))
    }
}

impl Inner {
    fn new(
        http: reqwest::Client,
        source: Source,
        names: Names,
        cluster: Option<Cluster>,
    ) -> Arc<Self> {
        Arc::new(Self {
            http,
            source,
            names,
            cluster,
            schema: SchemaState::default(),
            rollup_caches: RollupCaches::default(),
            property_columns: Known::default(),
            figures: Figures::new(),
        })
    }
}

impl Warehouse {
    /// Returns at once; in the embedded case the engine starts in the background. Must be called
    /// within a runtime.
    pub fn open(location: Location) -> Self {
        let http = http_client::builder()
            .connect_timeout(CONNECT_LIMIT)
            .pool_idle_timeout(Duration::from_secs(5))
            .tcp_nodelay(true)
            .no_proxy()
            // A redirect must not send us, and the password, somewhere else.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("nothing that could be wrong is set");
        let (source, names, cluster) = match location {
            Location::Embedded { folder, library, program, memory_mb } => {
                let plan = Plan { folder, library, program, memory_mb };
                (Source::Embedded(Embedded::start(plan)), own_names(), None)
            }
            Location::Remote { url } => match Address::of(&url) {
                Ok(Address { server, database, cluster }) => {
                    let cluster =
                        cluster.map(|name| Cluster::new(name, server.clone(), database.clone()));
                    (Source::remote(server), Names { database, shard: None }, cluster)
                }
                Err(wrong) => (Source::Unusable(wrong), own_names(), None),
            },
        };
        Self::of(Inner::new(http, source, names, cluster))
    }

    fn of(inner: Arc<Inner>) -> Self {
        Self {
            inner,
            limit: QUERY_LIMIT,
            gate: None,
            set_limits: SetLimits::default(),
            rows_read: None,
            columns: Arc::default(),
            versions: None,
        }
    }

    /// The store on one server of the cluster.
    pub(crate) fn shard(&self, server: Server, names: Names) -> Self {
        let shard =
            Self::of(Inner::new(self.inner.http.clone(), Source::remote(server), names, None));
        match self.schema_state().guard.get() {
            Some(guard) => shard.guarded_by(guard.clone()),
            None => shard,
        }
    }

    pub(crate) fn weak(&self) -> WeakWarehouse {
        WeakWarehouse(Arc::downgrade(&self.inner))
    }

    /// The same store, with this limit for statements.
    pub fn patient(&self, limit: Duration) -> Self {
        Self { limit, ..self.clone() }
    }

    /// The same store, whose questions wait for their turn at a gate.
    pub fn behind(&self, gate: Arc<dyn Gate>) -> Self {
        Self { gate: Some(gate), ..self.clone() }
    }

    /// The same store, which counts the rows that its statements read.
    pub fn counting_rows(&self, counter: Arc<AtomicU64>) -> Self {
        Self { rows_read: Some(counter), ..self.clone() }
    }

    /// The same store, for a question about the data at these versions or later.
    pub fn as_of(&self, versions: Arc<Versions>) -> Self {
        Self { versions: Some(versions), ..self.clone() }
    }

    pub(crate) fn versions(&self) -> Option<&Arc<Versions>> {
        self.versions.as_ref()
    }

    /// The same store, for the server's own questions. What they read is no part of anybody's answer.
    pub(crate) fn without_gate(&self) -> Self {
        Self { gate: None, rows_read: None, ..self.clone() }
    }

    /// The same store, with other limits on the sets of people that are joined in this process.
    pub fn with_set_limits(&self, set_limits: SetLimits) -> Self {
        Self { set_limits, ..self.clone() }
    }

    pub(crate) fn set_limits(&self) -> SetLimits {
        self.set_limits
    }

    /// Ends the embedded engine. Statements after that fail.
    pub async fn stop(&self) {
        if let Some(embedded) = self.inner.source.embedded() {
            embedded.stop().await;
        }
    }

    /// The state of the store, as far as it is known without asking.
    pub fn state(&self) -> State {
        let own = self.inner.source.state();
        // A store that lacks one of its shards is of no use.
        let lost = self.inner.cluster.as_ref().and_then(Cluster::lost);
        lost.filter(|_| own == State::Up).unwrap_or(own)
    }

    /// The address of the running embedded engine, as a `warehouse_url` for a second server on this
    /// machine. It changes with every restart of the engine.
    pub fn shared_url(&self) -> Option<Url> {
        let address = self.inner.source.embedded()?.address()?;
        address_file::url(address.port, &address.secret, &self.names().database)
    }

    /// Grows with every restart of the embedded engine; always zero on a server.
    pub fn generation(&self) -> u64 {
        self.inner.source.embedded().and_then(Embedded::address).map_or(0, |it| it.generation)
    }

    /// The resident memory of the embedded engine's process, where the system tells it.
    pub fn engine_memory(&self) -> Option<u64> {
        resident_bytes(self.inner.source.embedded()?.address()?.pid?)
    }

    pub(crate) fn why_not(&self) -> Error {
        why_not(self.state())
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

    pub(crate) fn is_embedded(&self) -> bool {
        self.inner.source.embedded().is_some()
    }

    /// Waits until the embedded engine has finished all changes that were sent before this call.
    pub(crate) async fn quiet(&self) -> Result<(), Error> {
        let (mut url, headers, _) = self.inner.source.target()?;
        url.set_path("/quiet");
        let request = self.inner.http.get(url).headers(headers).timeout(QUEUE_WAIT + GRACE);
        receive(request).await.map(drop).map_err(|failure| failure.error)
    }

    /// Waits until the embedded engine has started. Returns at once for a remote server, whose start we
    /// do not control.
    pub(crate) async fn up(&self) {
        if let Some(embedded) = self.inner.source.embedded() {
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

    pub(crate) fn known_property_columns(&self) -> &Known {
        &self.inner.property_columns
    }

    pub(crate) fn columns(&self) -> Arc<ReadColumns> {
        self.columns.clone()
    }

    pub(crate) fn with_columns(&self, columns: Arc<ReadColumns>) -> Self {
        Self { columns, ..self.clone() }
    }

    pub(crate) fn names(&self) -> &Names {
        &self.inner.names
    }

    pub(crate) fn cluster(&self) -> Option<&Cluster> {
        self.inner.cluster.as_ref()
    }

    pub(crate) fn source(&self) -> &Source {
        &self.inner.source
    }

    /// Like `call`, for work that can wait: while the store is too busy, the statement is repeated, for
    /// at most as long as the statement itself may take.
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
        // Held for this statement only: whoever holds a turn waits for nothing else, so there is no
        // deadlock.
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
        let received = async {
            let response = answered(request.body(body)).await?;
            if let Some(counter) = &self.rows_read {
                counter.fetch_add(rows_read(&response), Ordering::Relaxed);
            }
            match call.most {
                Some(most) => read_at_most(response, most).await,
                None => read(response).await,
            }
        };
        let outcome = self.unless_lost(received).await;
        self.inner.figures.note(kind, since, outcome.as_ref().map_err(|failure| &failure.error));
        self.inner.source.note(&outcome, generation);
        match outcome {
            Ok(answer) => Ok(answer),
            Err(failure) => Err(self.blame(failure.error).await),
        }
    }

    /// The request for a statement, without its body.
    pub(crate) fn prepare(&self, call: &Call<'_>) -> Result<(reqwest::RequestBuilder, u64), Error> {
        let (mut url, headers, generation) = self.inner.source.target()?;
        {
            let mut pairs = url.query_pairs_mut();
            if call.in_database {
                pairs.append_pair("database", &self.inner.names.database);
            }
            for (name, value) in &call.settings {
                pairs.append_pair(name, value);
            }
            for (name, value) in self.settings(call.reads) {
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

    /// Asks a question whose answer is streamed.
    pub(crate) async fn stream(&self, call: Call<'_>) -> Result<RowStream, Error> {
        let (request, _) = self.prepare(&call)?;
        let request = request.body(Bytes::copy_from_slice(call.sql.as_bytes()));
        match self.unless_lost(answered(request)).await {
            Ok(response) => Ok(RowStream(response)),
            Err(failure) => Err(self.blame(failure.error).await),
        }
    }

    /// Makes a change whose data is streamed.
    pub(crate) async fn send(
        &self,
        mut call: Call<'_>,
        data: impl Stream<Item = std::io::Result<Bytes>> + Send + 'static,
    ) -> Result<(), Error> {
        // Puts the statement into the URL; the body is the stream.
        call.data = Some(Bytes::new());
        let (request, _) = self.prepare(&call)?;
        let request = request.body(reqwest::Body::wrap_stream(data));
        match self.unless_lost(receive(request)).await {
            Ok(_) => Ok(()),
            Err(failure) => Err(self.blame(failure.error).await),
        }
    }

    /// Settings that every statement to this server gets.
    fn settings(&self, reads: bool) -> &'static [(&'static str, &'static str)] {
        match &self.inner.cluster {
            Some(cluster) if reads => cluster.reading(),
            None if !reads && self.inner.names.is_replicated() => REPLICATED_CHANGE,
            _ => &[],
        }
    }
}
