//! Where the events are.

use std::path::PathBuf;

use url::Url;

const DEFAULT_DATABASE: &str = "atrium";

#[derive(Clone)]
pub enum Location {
    /// In a folder of this machine, behind an engine process that this one starts.
    Embedded {
        folder: PathBuf,
        /// libchdb.so.
        library: PathBuf,
        /// The program with the engine in it, if it is not the running one.
        program: Option<PathBuf>,
        memory_mb: u64,
    },
    /// On a ClickHouse server: `http(s)://user:password@host:port/database?cluster=name`.
    Remote { url: Url },
}

/// Without the password: a location is the kind of thing that ends up in a log.
impl std::fmt::Debug for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Embedded { folder, .. } => write!(f, "Embedded({})", folder.display()),
            Self::Remote { url } => write!(f, "Remote({})", Server::at(url).0.url),
        }
    }
}

/// How to reach a server.
pub(crate) struct Server {
    /// Without user and password: those go into headers, where no log writes them.
    pub url: Url,
    pub user: String,
    pub password: String,
}

impl Server {
    /// Takes an address apart.
    pub fn at(url: &Url) -> (Self, Names) {
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
        let cluster = url.query_pairs().find(|(name, _)| name == "cluster");
        let cluster = cluster.map(|(_, value)| value.into_owned());
        let mut bare = url.clone();
        // These fail only for addresses without a host, which no request would reach either.
        let _ = bare.set_username("");
        let _ = bare.set_password(None);
        bare.set_path("/");
        bare.set_query(None);
        (Self { url: bare, user, password }, Names { database, cluster })
    }
}

/// The names in a store of our own.
pub(crate) fn own_names() -> Names {
    Names { database: DEFAULT_DATABASE.to_owned(), cluster: None }
}

/// What the statements differ in from one installation to the next.
pub(crate) struct Names {
    pub database: String,
    pub cluster: Option<String>,
}

impl Names {
    /// To be put after the name of a table in a statement that changes it on every replica.
    pub fn on_cluster(&self) -> String {
        match &self.cluster {
            Some(cluster) => format!(" ON CLUSTER {}", quoted(cluster)),
            None => String::new(),
        }
    }
}

pub(crate) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let url = "https://an%40a:p+%2F=&x@db.example:8443/events?cluster=main";
        let url = Url::parse(url).unwrap();
        let (server, names) = Server::at(&url);
        assert_eq!(server.url.as_str(), "https://db.example:8443/");
        assert_eq!((server.user.as_str(), server.password.as_str()), ("an@a", "p+/=&x"));
        assert_eq!((names.database.as_str(), names.cluster.as_deref()), ("events", Some("main")));
        assert_eq!(format!("{:?}", Location::Remote { url }), "Remote(https://db.example:8443/)");
    }
}
