//! Parses a request into the statement, its parameters, its session, and the data of an INSERT.
//!
//! The library reads inline data only as a terminal client would: after the statement, up to an empty
//! line. Two newlines in a text would cut a batch in half. So the data goes into a file, and the
//! statement reads that.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::{Request, StatusCode};
use tokio::io::AsyncWriteExt;

use super::pool::{Session, quote_text};

/// The largest body accepted: an INSERT of some hundred thousand rows is a tenth of it.
const MAX_DATA: u64 = 1 << 30;
const MAX_STATEMENT: u64 = 64 << 20;

/// Parameters of ClickHouse's HTTP interface that are not settings and have no meaning here.
const NO_SETTINGS: &[&str] = &[
    "query_id",
    "wait_end_of_query",
    "http_write_exception_in_output_format",
    "cancel_http_readonly_queries_on_client_close",
];

pub struct Statement {
    pub session: Session,
    pub text: String,
    pub params: Vec<(String, String)>,
    /// Must outlive the statement's run.
    pub data: Option<DataFile>,
}

/// Why a request could not be read.
pub struct Unreadable(pub StatusCode, pub String);

impl Statement {
    pub async fn read(
        request: Request<Incoming>,
        defaults: &[(String, String)],
        folder: &Path,
    ) -> Result<Self, Unreadable> {
        let mut session = Session { database: None, settings: defaults.to_vec() };
        let mut params = Vec::new();
        let mut text = String::new();
        let arguments = request.uri().query().unwrap_or_default();
        for (name, value) in url::form_urlencoded::parse(arguments.as_bytes()) {
            let value = value.into_owned();
            match &*name {
                "query" => text = value,
                "database" => session.database = Some(value),
                known if NO_SETTINGS.contains(&known) => {}
                name => match name.strip_prefix("param_") {
                    Some(param) => params.push((param.to_owned(), value)),
                    None => {
                        session.settings.retain(|(known, _)| known != name);
                        session.settings.push((name.to_owned(), value));
                    }
                },
            }
        }
        session.settings.sort();
        let body = request.into_body();
        if text.is_empty() {
            text = read_text(body).await?;
            return Ok(Self { session, text, params, data: None });
        }
        let data = DataFile::fill(folder, body).await?;
        if let Some(data) = &data {
            text = reading_from(&text, &data.path).ok_or_else(|| {
                let words = "data is taken for INSERT … FORMAT … only\n".to_owned();
                Unreadable(StatusCode::BAD_REQUEST, words)
            })?;
        }
        Ok(Self { session, text, params, data })
    }
}

/// Turns `INSERT … FORMAT f` into one that reads its rows from a file, whether they go into the
/// table as they are or through `SELECT … FROM input('…')`.
fn reading_from(statement: &str, path: &Path) -> Option<String> {
    let (head, format) = statement.trim_end().rsplit_once(" FORMAT ")?;
    let known = !format.is_empty() && format.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !known || !head.trim_start().starts_with("INSERT ") {
        return None;
    }
    let path = quote_text(path.to_str()?);
    Some(match head.split_once(" FROM input(") {
        Some((before, after)) => format!("{before} FROM file({path}, '{format}', {after}"),
        None => format!("{head} SELECT * FROM file({path}, '{format}')"),
    })
}

async fn read_text(mut body: Incoming) -> Result<String, Unreadable> {
    let mut text = Vec::new();
    while let Some(frame) = body.frame().await {
        if let Some(data) = frame.map_err(broken)?.data_ref() {
            text.extend_from_slice(data);
        }
        if text.len() as u64 > MAX_STATEMENT {
            return Err(too_large());
        }
    }
    String::from_utf8(text)
        .map_err(|_| Unreadable(StatusCode::BAD_REQUEST, "the statement is not UTF-8\n".to_owned()))
}

fn broken(error: hyper::Error) -> Unreadable {
    Unreadable(StatusCode::BAD_REQUEST, format!("the body was cut short: {error}\n"))
}

fn too_large() -> Unreadable {
    Unreadable(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large\n".to_owned())
}

/// The data of one INSERT, for as long as the INSERT takes.
pub struct DataFile {
    path: PathBuf,
}

impl DataFile {
    /// Writes the body to a file as it arrives. Nothing is synced: the caller keeps the rows until they
    /// are safe in the table.
    async fn fill(folder: &Path, mut body: Incoming) -> Result<Option<Self>, Unreadable> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        if body.is_end_stream() {
            return Ok(None);
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let this = Self { path: folder.join(format!("{number}.rows")) };
        let failed = |error: std::io::Error| {
            let words = format!("the data cannot be written: {error}\n");
            Unreadable(StatusCode::INSUFFICIENT_STORAGE, words)
        };
        let mut file = tokio::fs::File::create_new(&this.path).await.map_err(failed)?;
        let mut size = 0;
        while let Some(frame) = body.frame().await {
            if let Some(data) = frame.map_err(broken)?.data_ref() {
                size += data.len() as u64;
                if size > MAX_DATA {
                    return Err(too_large());
                }
                file.write_all(data).await.map_err(failed)?;
            }
        }
        file.flush().await.map_err(failed)?;
        Ok(Some(this))
    }
}

impl Drop for DataFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(%error, "the data of an INSERT could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insert_reads_from_the_file() {
        let path = Path::new("/store/it's/1.rows");
        assert_eq!(
            reading_from("INSERT INTO t (a, b) FORMAT RowBinary", path).unwrap(),
            "INSERT INTO t (a, b) SELECT * FROM file('/store/it\\'s/1.rows', 'RowBinary')"
        );
        assert_eq!(
            reading_from(
                "INSERT INTO t (a, b) SELECT a, 7 FROM input('a String') FORMAT RowBinary",
                path
            )
            .unwrap(),
            "INSERT INTO t (a, b) SELECT a, 7 FROM file('/store/it\\'s/1.rows', 'RowBinary', 'a \
             String')"
        );
        assert_eq!(reading_from("SELECT 1 FORMAT JSON", path), None);
        assert_eq!(reading_from("INSERT INTO t VALUES (1)", path), None);
    }
}
