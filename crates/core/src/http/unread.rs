//! Cuts off clients that do not read their answers. An unread answer holds memory, a connection and,
//! for a stream, one of the places for viewers.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A connection that ends when nothing more of an answer could be written for a while. A client that
/// reads slowly is served for as long as it keeps reading.
pub struct Unread<S> {
    stream: S,
    patience: Duration,
    /// Created when the client first stops reading.
    deadline: Option<Pin<Box<Sleep>>>,
    is_stalled: bool,
}

impl<S> Unread<S> {
    pub fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, deadline: None, is_stalled: false }
    }

    /// Starts or checks the deadline whenever a write makes no progress.
    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.is_stalled = false;
            return written;
        }
        let patience = self.patience;
        let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(patience)));
        if !self.is_stalled {
            self.is_stalled = true;
            deadline.as_mut().reset(Instant::now() + patience);
        }
        ready!(deadline.as_mut().poll(cx));
        metrics::counter!("atrium_connections_unread_total").increment(1);
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Unread<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Unread<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.watch(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(cx, slices);
        this.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn a_client_who_does_not_read_is_cut_off() {
        let (client, server) = duplex(1_000);
        let patience = Duration::from_millis(200);
        let mut server = Unread::new(server, patience);
        let started = Instant::now();
        let writing = tokio::time::timeout(Duration::from_secs(20), server.write_all(&[0; 5_000]));
        let error = writing.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(started.elapsed() >= patience);
        drop(client);
    }

    #[tokio::test]
    async fn a_client_who_reads_slowly_is_served() {
        let (mut client, server) = duplex(1_000);
        let patience = Duration::from_secs(2);
        let mut server = Unread::new(server, patience);
        let reading = tokio::spawn(async move {
            let mut taken = 0;
            let mut some = [0; 250];
            while taken < 5_000 {
                // Takes longer than the patience in total, but never without a read for that long.
                tokio::time::sleep(patience / 15).await;
                taken += client.read(&mut some).await.unwrap();
            }
            client
        });
        server.write_all(&[0; 5_000]).await.unwrap();
        reading.await.unwrap();
    }
}
