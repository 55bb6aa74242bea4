//! The token with which an app calls its vendor. There is one for everyone: one caller fetches it while
//! the others wait for the same fetch and share its failure too, so that a vendor that hangs costs each
//! of them one time limit, not several in a row.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use parking_lot::{Mutex, MutexGuard};

use super::Failure;
use atrium_core::outbound::web::WebError;
use atrium_core::types::Millis;

/// A token counts as expired this long before its end, so that callers still have time to use it.
const MARGIN: i64 = 5 * Millis::MINUTE;

/// A token as the vendor gave it. Neither this nor anything that holds it can be logged.
pub struct Fresh {
    pub token: String,
    pub seconds: i64,
}

#[derive(Clone)]
struct Token {
    value: Arc<str>,
    good_until: Millis,
}

type Fetch = Shared<BoxFuture<'static, Result<Arc<str>, Failure>>>;

#[derive(Default)]
struct State {
    token: Option<Token>,
    underway: Option<Fetch>,
}

#[derive(Clone)]
pub struct TokenCache {
    state: Arc<Mutex<State>>,
    /// How long fetching may take.
    patience: Duration,
}

impl TokenCache {
    pub fn new(patience: Duration) -> Self {
        Self { state: Arc::default(), patience }
    }

    /// The token. It is fetched if there is none, if it is about to expire, or if the vendor just refused
    /// it. If many callers were refused with the same token, only the first fetches.
    pub async fn get<F>(
        &self,
        now: Millis,
        refused: Option<&str>,
        fetch: impl FnOnce() -> F,
    ) -> Result<Arc<str>, Failure>
    where
        F: Future<Output = Result<Fresh, Failure>> + Send + 'static,
    {
        let underway = {
            let mut state = self.lock();
            if let Some(token) = &state.token
                && token.good_until > now
                && refused != Some(&token.value)
            {
                return Ok(token.value.clone());
            }
            match state.underway.as_ref().filter(|fetch| fetch.peek().is_none()) {
                Some(fetch) => fetch.clone(),
                None => {
                    let fetch = self.begin(now, fetch());
                    state.underway = Some(fetch.clone());
                    fetch
                }
            }
        };
        underway.await
    }

    /// Runs as a separate task: the caller that started it may go away while others wait.
    fn begin<F>(&self, now: Millis, fetch: F) -> Fetch
    where
        F: Future<Output = Result<Fresh, Failure>> + Send + 'static,
    {
        let cache = self.clone();
        let task = tokio::spawn(async move {
            let outcome = tokio::time::timeout(cache.patience, fetch).await;
            let outcome = outcome.unwrap_or(Err(Failure::WebError(WebError::Timeout)));
            let token = outcome.map(|fresh| Token {
                value: fresh.token.into(),
                good_until: now.plus(lasting(fresh.seconds)),
            });
            let mut state = cache.lock();
            state.underway = None;
            if let Ok(token) = &token {
                state.token = Some(token.clone());
            }
            token.map(|token| token.value)
        });
        task.map(|done| done.unwrap_or(Err(Failure::Nonsense))).boxed().shared()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

fn lasting(seconds: i64) -> i64 {
    let whole = seconds.clamp(0, Millis::DAY / Millis::SECOND) * Millis::SECOND;
    whole - MARGIN.min(whole / 2)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join_all;

    use super::*;

    #[derive(Clone, Default)]
    struct Vendor(Arc<AtomicUsize>);

    impl Vendor {
        fn fetch(
            &self,
            hangs: bool,
        ) -> impl Future<Output = Result<Fresh, Failure>> + Send + 'static {
            let count = self.0.clone();
            async move {
                let number = count.fetch_add(1, Ordering::SeqCst);
                if hangs {
                    std::future::pending::<()>().await;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
                Ok(Fresh { token: format!("token-{number}"), seconds: 7_200 })
            }
        }

        fn fetched(&self) -> usize {
            self.0.load(Ordering::SeqCst)
        }
    }

    #[tokio::test]
    async fn many_at_once_fetch_once_and_once_more_when_it_is_refused() {
        let (cache, vendor, now) =
            (TokenCache::new(Duration::from_secs(10)), Vendor::default(), Millis(0));
        let all = || join_all((0..50).map(|_| cache.get(now, None, || vendor.fetch(false))));
        let tokens: Vec<_> = all().await.into_iter().map(Result::unwrap).collect();
        assert!(tokens.iter().all(|token| &**token == "token-0"));
        let refused = tokens[0].clone();
        let again = (0..50).map(|_| cache.get(now, Some(&refused), || vendor.fetch(false)));
        let tokens: Vec<_> = join_all(again).await.into_iter().map(Result::unwrap).collect();
        assert!(tokens.iter().all(|token| &**token == "token-1"));
        // A caller that learns late that the old token is refused takes the new one.
        cache.get(now, Some(&refused), || vendor.fetch(false)).await.unwrap();
        assert_eq!(vendor.fetched(), 2);
    }

    #[tokio::test]
    async fn it_is_fetched_before_it_ends() {
        let (cache, vendor) = (TokenCache::new(Duration::from_secs(10)), Vendor::default());
        for (minute, fetched) in [(0, 1), (114, 1), (115, 2), (116, 2)] {
            let now = Millis(minute * Millis::MINUTE);
            cache.get(now, None, || vendor.fetch(false)).await.unwrap();
            assert_eq!(vendor.fetched(), fetched, "minute {minute}");
        }
    }

    #[tokio::test]
    async fn a_fetch_that_hangs_costs_everyone_one_time_limit() {
        let patience = Duration::from_millis(200);
        let cache = TokenCache::new(patience);
        let (vendor, now) = (Vendor::default(), Millis(0));
        let begun = tokio::time::Instant::now();
        let waiting = (0..50).map(|_| cache.get(now, None, || vendor.fetch(true)));
        for outcome in join_all(waiting).await {
            assert!(matches!(outcome, Err(Failure::WebError(WebError::Timeout))));
        }
        assert!(begun.elapsed() < patience * 10, "{:?}", begun.elapsed());
        assert_eq!(vendor.fetched(), 1);
        // The next caller tries again.
        assert!(cache.get(now, None, || vendor.fetch(false)).await.is_ok());
    }

    #[tokio::test]
    async fn whoever_began_may_leave() {
        let (cache, vendor, now) =
            (TokenCache::new(Duration::from_secs(10)), Vendor::default(), Millis(0));
        let gone = cache.get(now, None, || vendor.fetch(false));
        assert!(tokio::time::timeout(Duration::from_millis(1), gone).await.is_err());
        assert!(cache.get(now, None, || vendor.fetch(false)).await.is_ok());
        assert_eq!(vendor.fetched(), 1);
    }

    #[test]
    fn a_short_token_is_used_for_half_of_its_life() {
        assert_eq!(lasting(7_200), 115 * Millis::MINUTE);
        assert_eq!(lasting(60), 30 * Millis::SECOND);
        assert_eq!((lasting(0), lasting(-5)), (0, 0));
        assert_eq!(lasting(i64::MAX), Millis::DAY - MARGIN);
    }
}
