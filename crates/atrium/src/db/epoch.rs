//! Reads the instance's epoch for many callers at once.
//!
//! Every signed-in request must know whether what this process remembers of the session is still
//! true, also when another instance or the command line changed it. One small query per request
//! would tell; a query shared by all who asked before it started tells just as truly and costs a
//! fraction under load.

use sqlx::AnyPool;
use sqlx::pool::PoolConnection;
use tokio::sync::{mpsc, oneshot};

use super::BUSY_TIMEOUT;
use crate::error::{Error, Result};

type Reply = oneshot::Sender<Result<i64, String>>;

#[derive(Clone)]
pub struct EpochReader {
    requests: mpsc::Sender<Reply>,
}

impl EpochReader {
    /// Starts the task that asks the database; it ends with the last `EpochReader`.
    pub fn start(pool: AnyPool) -> Self {
        let (requests, mut inbox) = mpsc::channel::<Reply>(4096);
        tokio::spawn(async move {
            let mut connection = None;
            let mut waiting = Vec::new();
            while inbox.recv_many(&mut waiting, 4096).await > 0 {
                let asked = tokio::time::timeout(BUSY_TIMEOUT, query(&pool, &mut connection)).await;
                let answer = match asked {
                    Ok(answer) => answer.map_err(|error| error.to_string()),
                    Err(_) => {
                        connection = None;
                        Err("the database did not answer in time".to_owned())
                    }
                };
                for reply in waiting.drain(..) {
                    // Whoever hung up meanwhile needs no answer.
                    let _ = reply.send(answer.clone());
                }
            }
        });
        Self { requests }
    }

    pub async fn read(&self) -> Result<i64> {
        let (reply, answer) = oneshot::channel();
        let gone = || Error::unavailable(anyhow::anyhow!("the epoch reader is gone"));
        self.requests.send(reply).await.map_err(|_| gone())?;
        answer
            .await
            .map_err(|_| gone())?
            .map_err(|cause| Error::unavailable(anyhow::anyhow!(cause)))
    }
}

/// Keeps its connection between calls; a broken one is replaced once before giving up.
async fn query(pool: &AnyPool, kept: &mut Option<PoolConnection<sqlx::Any>>) -> sqlx::Result<i64> {
    const EPOCH: &str = "SELECT epoch FROM instance";
    if let Some(connection) = kept {
        match sqlx::query_scalar(EPOCH).fetch_one(&mut **connection).await {
            Ok(epoch) => return Ok(epoch),
            Err(_) => *kept = None,
        }
    }
    let connection = kept.insert(pool.acquire().await?);
    sqlx::query_scalar(EPOCH).fetch_one(&mut **connection).await
}
