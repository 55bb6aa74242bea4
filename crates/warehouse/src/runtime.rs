//! Work that does not belong on the threads of the runtime.

use crate::error::Error;

/// For what keeps a core busy for some milliseconds: those who send events must not wait for it.
pub(crate) async fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::Unavailable(error.to_string())))
}
