//! Password hashes: argon2id with 19 MiB and two passes, off the async threads, with bounded
//! concurrency, and the same work for accounts that do not exist.

use std::sync::Arc;

use anyhow::anyhow;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use super::strength::{PASSWORD_MAX, normalized};
use atrium_core::config::PasswordCost;
use atrium_core::error::{Error, Result};

#[derive(Clone)]
pub struct Hasher {
    cost: PasswordCost,
    places: Arc<Semaphore>,
    dummy: Arc<str>,
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new(PasswordCost::default())
    }
}

impl Hasher {
    pub fn new(cost: PasswordCost) -> Self {
        // More at once than there are cores would only slow each one down, and take 19 MiB more each.
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let places = Arc::new(Semaphore::new(cores.clamp(1, 16)));
        Self { cost, places, dummy: dummy(cost).into() }
    }

    pub async fn hash(&self, password: String) -> Result<String> {
        let cost = self.cost;
        let password = normalized(&password);
        self.run(move || {
            let hash = argon2(cost)?.hash_password(password.as_bytes());
            Ok(hash.map_err(|error| anyhow!("argon2: {error}"))?.to_string())
        })
        .await
    }

    /// Whether the password matches. `None` stands for an account that does not exist or has no
    /// password: it takes the same time and never matches.
    pub async fn verify(&self, password: String, stored: Option<String>) -> Result<bool> {
        // No valid password is longer than the form allows, and hashing a longer one costs more.
        let fits = password.chars().count() <= PASSWORD_MAX;
        let possible = stored.is_some() && fits;
        let stored = stored.filter(|_| possible).unwrap_or_else(|| self.dummy.to_string());
        let typed = if fits { password } else { String::new() };
        let cost = self.cost;
        self.run(move || {
            let parsed = PasswordHash::new(&stored).map_err(|error| anyhow!("argon2: {error}"))?;
            let argon2 = argon2(cost)?;
            let matches = |text: &str| argon2.verify_password(text.as_bytes(), &parsed).is_ok();
            let password = normalized(&typed);
            // Older versions hashed the password as typed, without normalizing it. Always tries both,
            // so that the time depends only on what was typed.
            let found = [matches(&password), password != typed && matches(&typed)];
            Ok(found.contains(&true) && possible)
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let place = self.places.clone().acquire_owned().await.map_err(Error::internal)?;
        tokio::task::spawn_blocking(move || {
            let result = work();
            drop(place);
            result
        })
        .await
        .map_err(Error::internal)?
    }
}

fn argon2(cost: PasswordCost) -> Result<Argon2<'static>> {
    let params = Params::new(cost.memory_kib, cost.passes, 1, None);
    let params = params.map_err(|error| anyhow!("argon2: {error}"))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// A hash that no password matches; verifying against it takes the usual time.
fn dummy(PasswordCost { memory_kib, passes }: PasswordCost) -> String {
    format!(
        "$argon2id$v=19$m={memory_kib},t={passes},p=1$\
        c29tZSBzYWx0IG9mIG91cnM$Ow0cvAYd5WuBx5vSjUEsHcX7aoNmqRkzWRnVRvSxgAo"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_matches_its_own_hash_only() {
        let hasher = Hasher::default();
        let hash = hasher.hash("correct horse".into()).await.unwrap();
        let price = "$argon2id$v=19$m=19456,t=2,p=1$";
        assert!(hash.starts_with(price), "{hash}");
        assert!(hasher.dummy.starts_with(price), "{}", hasher.dummy);
        assert!(hasher.verify("correct horse".into(), Some(hash.clone())).await.unwrap());
        assert!(!hasher.verify("wrong horse".into(), Some(hash.clone())).await.unwrap());
        assert!(!hasher.verify("x".repeat(100_000), Some(hash)).await.unwrap());
        assert!(!hasher.verify(String::new(), None).await.unwrap());
    }

    #[tokio::test]
    async fn another_keyboard_types_the_same_password() {
        let hasher = Hasher::new(PasswordCost { memory_kib: 8, passes: 1 });
        let hash = hasher.hash("ｈａｆｅｎ Ko\u{308}nig".into()).await.unwrap();
        assert!(hasher.verify("hafen König".into(), Some(hash)).await.unwrap());
        // A password that an older version hashed as typed.
        let old = argon2(hasher.cost).unwrap().hash_password("ｈａｆｅｎ".as_bytes()).unwrap();
        assert!(hasher.verify("ｈａｆｅｎ".into(), Some(old.to_string())).await.unwrap());
    }
}
