//! Runs work outside the async runtime's threads.

use crate::error::Error;

/// For work that keeps a core busy for some milliseconds, which requests with events must not wait for.
pub(crate) async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::Unavailable(error.to_string())))
}
