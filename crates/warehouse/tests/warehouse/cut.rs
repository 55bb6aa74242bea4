//! A first start that is interrupted, after each of its statements.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use url::Url;
use uuid::Uuid;
use warehouse::{Location, Warehouse};

use crate::engine::by_hand;
use crate::support::{counted, load, make_up, same, stored};

/// Passes this many statements on to the engine, and none after that.
struct Cutter {
    engine: u16,
    left: AtomicI64,
    cut: Notify,
}

impl Cutter {
    async fn start(engine: u16, after: i64) -> (Arc<Self>, u16) {
        let cutter = Self { engine, left: AtomicI64::new(after), cut: Notify::new() };
        let cutter = Arc::new(cutter);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let this = cutter.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let this = this.clone();
                let service = service_fn(move |request| this.clone().pass(request));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        (cutter, port)
    }

    async fn pass(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        if self.left.fetch_sub(1, Ordering::SeqCst) <= 0 {
            self.cut.notify_one();
            let mut refusal = Response::new(Full::default());
            *refusal.status_mut() = StatusCode::BAD_GATEWAY;
            return Ok(refusal);
        }
        let url = format!("http://127.0.0.1:{}{}", self.engine, request.uri());
        let (head, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let answer = http_client::local().post(url).headers(head.headers).body(body);
        let answer = answer.send().await.unwrap();
        let mut passed = Response::builder().status(answer.status());
        passed.headers_mut().unwrap().extend(answer.headers().clone());
        Ok(passed.body(Full::new(answer.bytes().await.unwrap())).unwrap())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_start_that_was_cut_off_is_made_good_by_the_next() {
    // After each of some 150 statements, or after nine of them.
    let step = if std::env::var_os("LONG_TESTS").is_some() { 1 } else { 17 };
    let mut folder = tempfile::tempdir().unwrap();
    let (mut process, mut engine) = by_hand(folder.path(), "s").await;
    let wait = Duration::from_secs(60);
    let app = Uuid::new_v4();
    for (made, after) in (0..).step_by(step).enumerate() {
        // Every store has some thirty tables, which take some of the engine's memory.
        if made > 0 && made % 16 == 0 {
            process.kill().await.unwrap();
            folder = tempfile::tempdir().unwrap();
            (process, engine) = by_hand(folder.path(), "s").await;
        }
        let at = |port: u16| {
            let url = format!("http://u:s@127.0.0.1:{port}/cut_{after}");
            Warehouse::open(Location::Remote { url: Url::parse(&url).unwrap() })
        };
        let (cutter, port) = Cutter::start(engine, after).await;
        let first = at(port);
        tokio::select! {
            whole = first.ready(wait) => {
                whole.unwrap();
                assert!(after > 40, "all in {after} statements?");
                break;
            }
            () = cutter.cut.notified() => {}
        }
        let second = at(engine);
        second.ready(wait).await.unwrap_or_else(|error| panic!("after {after}: {error}"));
        let events = make_up(after.unsigned_abs(), 50, &[app]);
        load(&second, 1, &events).await.unwrap();
        same(&stored(&second).await, &counted(&events));
    }
}
