//! Where the events are.

use std::path::PathBuf;

use url::Url;

const DEFAULT_DATABASE: &str = "atrium";

#[derive(Clone)]
pub enum Location {
    /// In a folder on this machine, served by an engine process that this one starts.
    Embedded {
        folder: PathBuf,
        /// libchdb.so.
        library: PathBuf,
        /// The program to run as the engine, if it is not the running one.
        program: Option<PathBuf>,
        memory_mb: u64,
    },
    /// On a ClickHouse server: `http(s)://user:password@host:port/database`, or on the shards of a
    /// cluster: `…?cluster=name&shards=host:port,host:port&replicated=1`.
    Remote { url: Url },
}

/// Without the password: locations end up in logs.
impl std::fmt::Debug for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Embedded { folder, .. } => write!(f, "Embedded({})", folder.display()),
            Self::Remote { url } => write!(f, "Remote({})", bare(url)),
        }
    }
}

/// The parsed address of a store.
pub(crate) struct Address {
    pub server: Server,
    pub database: String,
    pub cluster: Option<ClusterName>,
}

/// How to reach a server.
#[derive(Clone)]
pub(crate) struct Server {
    /// Without user and password: those go into headers, where no log writes them.
    pub url: Url,
    pub user: String,
    pub password: String,
}

/// A cluster as the settings name it.
pub(crate) struct ClusterName {
    pub name: String,
    /// The addresses of the shards. If empty, the server is asked for them.
    pub shards: Vec<Url>,
    /// Whether each shard has several replicas.
    pub replicated: bool,
}

/// The servers behind a store's address: its server, and the shards that it names. The error says what
/// is wrong with the address.
pub fn addresses(url: &Url) -> Result<Vec<Url>, String> {
    let address = Address::of(url)?;
    let shards = address.cluster.map(|cluster| cluster.shards).unwrap_or_default();
    Ok(std::iter::once(address.server.url).chain(shards).collect())
}

impl Address {
    pub fn of(url: &Url) -> Result<Self, String> {
        let decode =
            |text| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        let user = match url.username() {
            "" => "default".to_owned(),
            user => decode(user),
        };
        let password = decode(url.password().unwrap_or_default());
        let database = match decode(url.path().trim_matches('/')) {
            database if database.is_empty() => DEFAULT_DATABASE.to_owned(),
            database => database,
        };
        let server = Server { url: bare(url), user, password };
        Ok(Self { cluster: cluster(url, &server)?, server, database })
    }
}

fn cluster(url: &Url, server: &Server) -> Result<Option<ClusterName>, String> {
    let (mut name, mut shards, mut replicated) = (None, Vec::new(), false);
    for (key, value) in url.query_pairs() {
        match &*key {
            "cluster" if !value.is_empty() => name = Some(value.into_owned()),
            "shards" => {
                let all = value.split(',').map(|shard| server.beside(shard.trim()));
                shards = all.collect::<Result<_, _>>()?;
            }
            "replicated" if value == "1" => replicated = true,
            _ => {
                return Err(format!("`{key}` is not one of cluster=…, shards=…, and replicated=1"));
            }
        }
    }
    match name {
        Some(name) => Ok(Some(ClusterName { name, shards, replicated })),
        None if shards.is_empty() && !replicated => Ok(None),
        None => Err("shards=… and replicated=1 require cluster=…".to_owned()),
    }
}

impl Server {
    /// The URL of another server with the same scheme, given its host and, if it differs, its port.
    pub fn beside(&self, host_and_port: &str) -> Result<Url, String> {
        let wrong = || format!("`{host_and_port}` is not the host:port of a shard");
        let text = format!("{}://{host_and_port}/", self.url.scheme());
        let mut url = Url::parse(&text).map_err(|_| wrong())?;
        let only_host_and_port = url.path() == "/"
            && url.query().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if host_and_port.is_empty() || !only_host_and_port {
            return Err(wrong());
        }
        if !names_port(host_and_port) {
            url.set_port(self.url.port()).map_err(|()| wrong())?;
        }
        Ok(url)
    }

    /// The same user at another address.
    pub fn at(&self, url: Url) -> Self {
        Self { url, user: self.user.clone(), password: self.password.clone() }
    }

    /// For messages.
    pub fn host_and_port(&self) -> String {
        let port = self.url.port_or_known_default().unwrap_or(0);
        format!("{}:{port}", self.url.host_str().unwrap_or_default())
    }
}

/// Whether a port is given; a parsed URL does not tell, because it omits the default port.
fn names_port(host_and_port: &str) -> bool {
    let after_address = host_and_port.rsplit(']').next().unwrap_or_default();
    after_address.contains(':')
}

/// The address alone.
fn bare(url: &Url) -> Url {
    let mut bare = url.clone();
    // These fail only for URLs without a host, which no request could reach either.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    bare.set_path("/");
    bare.set_query(None);
    bare
}

/// The names in the embedded store.
pub(crate) fn own_names() -> Names {
    Names { database: DEFAULT_DATABASE.to_owned(), shard: None }
}

/// Names in statements that differ between installations.
#[derive(Clone)]
pub(crate) struct Names {
    pub database: String,
    /// Set for a server that is one shard of a cluster.
    pub shard: Option<ShardNames>,
}

/// What statements on a shard need to know about its cluster.
#[derive(Clone)]
pub(crate) struct ShardNames {
    /// From 1 on.
    pub number: usize,
    pub cluster: String,
    /// The database whose Distributed tables stand for the tables of all shards.
    pub whole: String,
    pub replicated: bool,
}

impl ShardNames {
    /// Appended to a name in statements that must run on every replica of the shard.
    pub fn on_cluster(&self) -> String {
        match self.replicated {
            true => format!(" ON CLUSTER {}", quoted(&self.cluster)),
            false => String::new(),
        }
    }
}

impl Names {
    pub fn is_replicated(&self) -> bool {
        self.shard.as_ref().is_some_and(|shard| shard.replicated)
    }

    /// The name, in statements to this server, of a table with the rows of all shards.
    pub fn whole(&self, table: &str) -> String {
        match &self.shard {
            Some(shard) => format!("{}.{}", quoted(&shard.whole), quoted(table)),
            None => table.to_owned(),
        }
    }
}

pub(crate) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str) -> Result<Address, String> {
        Address::of(&Url::parse(url).unwrap())
    }

    #[test]
    fn an_address_is_taken_apart() {
        let url = "https://an%40a:p+%2F=&x@db.example:8443/events?cluster=main";
        let Address { server, database, cluster } = address(url).unwrap();
        assert_eq!(server.url.as_str(), "https://db.example:8443/");
        assert_eq!((server.user.as_str(), server.password.as_str()), ("an@a", "p+/=&x"));
        assert_eq!((database.as_str(), cluster.unwrap().name.as_str()), ("events", "main"));
        let location = Location::Remote { url: Url::parse(url).unwrap() };
        assert_eq!(format!("{location:?}"), "Remote(https://db.example:8443/)");
    }

    #[test]
    fn shards_are_where_they_say_or_at_the_same_port() {
        let url = "http://u:p@a:8124/db?cluster=main&shards=a,b:80,%5B::1%5D:9,%5B::2%5D";
        let found = addresses(&Url::parse(url).unwrap()).unwrap();
        let found: Vec<&str> = found.iter().map(Url::as_str).collect();
        let expected = [
            "http://a:8124/",
            "http://a:8124/",
            "http://b/",
            "http://[::1]:9/",
            "http://[::2]:8124/",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_wrong_with_an_address_is_told() {
        for (url, word) in [
            ("http://a/?clsuter=main", "clsuter"),
            ("http://a/?cluster=", "cluster"),
            ("http://a/?shards=b:1", "cluster="),
            ("http://a/?cluster=main&replicated=yes", "replicated"),
            ("http://a/?cluster=main&shards=b:1,", "shard"),
            ("http://a/?cluster=main&shards=u:p@b:1", "shard"),
            ("http://a/?cluster=main&shards=b/c", "shard"),
        ] {
            let error = address(url).err().expect(url);
            assert!(error.contains(word), "{url}: {error}");
        }
    }
}
