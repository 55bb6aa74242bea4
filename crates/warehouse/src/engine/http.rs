//! The part of ClickHouse's HTTP interface that the client uses, in front of the pools.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;

use super::pool::{Failure, Pool};
use super::statement::{Statement, Unreadable};

pub struct Service {
    pub secret: String,
    /// Put before a request's own settings, which may replace them.
    pub defaults: Vec<(String, String)>,
    /// Where the data of an INSERT is kept while it runs.
    pub incoming: PathBuf,
    /// Statements with `readonly` set.
    pub reads: Pool,
    /// All others.
    pub writes: Pool,
}

/// Answers until the process ends.
pub async fn serve(listener: TcpListener, service: Arc<Service>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors, most likely; they come back as connections end.
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let service = service.clone();
        tokio::spawn(async move {
            let handle = service_fn(move |request| {
                let service = service.clone();
                async move { Ok::<_, Infallible>(service.answer(request).await) }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), handle);
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }
}

impl Service {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let key = request.headers().get("x-clickhouse-key").map_or(&[][..], HeaderValue::as_bytes);
        if !bool::from(key.ct_eq(self.secret.as_bytes())) {
            return text(StatusCode::FORBIDDEN, "wrong key\n");
        }
        match (request.method(), request.uri().path()) {
            (&Method::GET, "/ping") => text(StatusCode::OK, "Ok.\n"),
            (&Method::GET, "/quiet") => match self.writes.quiet().await {
                true => text(StatusCode::OK, "Ok.\n"),
                false => text(StatusCode::SERVICE_UNAVAILABLE, "a change is still in progress\n"),
            },
            (&Method::POST, "/") => {
                match Statement::read(request, &self.defaults, &self.incoming).await {
                    Ok(statement) => self.run(statement).await,
                    Err(Unreadable(status, words)) => text(status, &words),
                }
            }
            _ => text(StatusCode::NOT_FOUND, "there is POST /, GET /ping and GET /quiet\n"),
        }
    }

    async fn run(&self, statement: Statement) -> Response<Full<Bytes>> {
        let settings = &statement.session.settings;
        let readonly = settings.iter().any(|(name, value)| name == "readonly" && value != "0");
        let pool = if readonly { &self.reads } else { &self.writes };
        match pool.run(statement).await {
            Ok((output, rows_read)) => {
                let mut response = Response::new(Full::new(output));
                // In the same form as a server reports it.
                let summary = format!("{{\"read_rows\":\"{rows_read}\"}}");
                if let Ok(summary) = HeaderValue::from_str(&summary) {
                    response.headers_mut().insert("x-clickhouse-summary", summary);
                }
                response
            }
            Err(Failure::Busy) => {
                text(StatusCode::SERVICE_UNAVAILABLE, &format!("{}\n", super::BUSY))
            }
            Err(Failure::Exception(message)) => exception(message),
        }
    }
}

fn text(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::copy_from_slice(text.as_bytes())));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=UTF-8"));
    response
}

/// An exception of the engine, in the shape ClickHouse gives it. The statuses are a rough guide
/// there too: the code is what counts.
fn exception(message: String) -> Response<Full<Bytes>> {
    let code = code_of(&message);
    let status = match code {
        // Syntax, unknown names, bad values, readonly.
        26 | 27 | 36 | 38 | 41 | 42 | 43 | 44 | 46 | 47 | 50 | 53 | 62 | 72 | 115 | 117 | 164
        | 456 | 457 => StatusCode::BAD_REQUEST,
        60 | 81 => StatusCode::NOT_FOUND,
        159 => StatusCode::REQUEST_TIMEOUT,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let mut response = text(status, &message);
    response.headers_mut().insert("x-clickhouse-exception-code", HeaderValue::from(code));
    response
}

/// The first code in "Code: 241. DB::Exception: …"; 1001 (an exception of the standard library) for a
/// message of another form.
fn code_of(message: &str) -> i32 {
    const OTHER: i32 = 1001;
    let Some((_, rest)) = message.split_once("Code: ") else { return OTHER };
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(OTHER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_in_messages() {
        assert_eq!(code_of("Code: 241. DB::Exception: memory"), 241);
        assert_eq!(code_of("Code: 62. DB::Exception: Code: 27."), 62);
        assert_eq!(code_of("something else"), 1001);
    }
}
