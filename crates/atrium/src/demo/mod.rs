//! `atrium demo`: two teams, six apps and months of realistic events, so that everything can be tried
//! before anything is connected.
//!
//! `plan` determines how many events every app gets on every day (`calendar`) and who causes them
//! (`population`), `generator` generates them visit by visit (`visits`, `journeys`), `load` stores them
//! in the warehouse, and `create` adds everything else once all events are there: a demo exists as a
//! whole or not at all.

mod batch;
mod calendar;
mod cast;
mod chance;
mod clients;
mod create;
mod generator;
mod goods;
mod journeys;
mod keep;
mod load;
mod names;
mod plan;
mod population;
mod properties;
mod report;
mod stories;
mod visits;

use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use uuid::Uuid;

pub use batch::{Batch, Books};
pub use generator::generate;
pub use plan::Plan;
pub use report::Report;

use crate::app::AppState;
use atrium_collect::collect::spool::Spool;
use atrium_core::config::Settings;
use atrium_core::types::{Clock, Id};
use create::Wanted;
use stories::STORIES;

/// The characters of passwords, without any that are easily confused.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
const PASSWORD_LENGTH: usize = 16;

#[derive(Args, Clone, Debug)]
pub struct Options {
    /// How many events to generate
    #[arg(long, default_value_t = 2_000_000, value_parser = clap::value_parser!(u64).range(1..=2_000_000_000))]
    pub events: u64,

    /// How many days they cover, up to now
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u16).range(1..=180))]
    pub days: u16,

    /// Seed of the events. Without one, they differ from run to run
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Create another demo in addition to the existing one
    #[arg(long)]
    pub again: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

pub enum Outcome {
    Made(Box<Report>),
    /// There already is a demo, and no other was requested. Has the address of its owner.
    ThereAlready(String),
}

/// Fills the instance of these settings, unless a server runs on it.
pub async fn run(settings: Settings, options: &Options) -> anyhow::Result<Outcome> {
    let atrium = AppState::start(settings, Clock::default()).await?;
    let outcome = match only_we_are_here(&atrium) {
        Ok(()) => fill(&atrium, options).await,
        Err(error) => Err(error),
    };
    atrium.warehouse.stop().await;
    atrium.db.close().await;
    outcome
}

/// The embedded warehouse belongs to one process, and a running server would keep answering from its
/// caches.
fn only_we_are_here(atrium: &AppState) -> anyhow::Result<()> {
    let folder = &atrium.settings.stores.data_dir;
    anyhow::ensure!(
        Spool::holders(folder)? <= 1,
        "a server is running on {}: stop it first, because `atrium demo` only fills an instance \
         that is not running",
        folder.display()
    );
    Ok(())
}

/// Creates a demo in an instance into which nobody else loads events.
pub async fn fill(atrium: &AppState, options: &Options) -> anyhow::Result<Outcome> {
    let demo = create::free_number(atrium).await?;
    if demo > 1 && !options.again {
        return Ok(Outcome::ThereAlready(cast::address(&cast::PEOPLE[0], demo - 1)));
    }
    let (now, days) = (atrium.now(), usize::from(options.days));
    let since = calendar::beginning(days, now)?;
    let apps: Vec<Id> = STORIES.iter().map(|_| atrium.entropy.id(since)).collect();
    let ids: Vec<_> = apps.iter().map(Id::uuid).collect::<Result<_, _>>()?;
    // A short seed, which people can type.
    let seed = options.seed.unwrap_or_else(|| u32::from_be_bytes(atrium.entropy.bytes()).into());
    let plan = Arc::new(Plan::new(seed, options.events, days, now, &ids)?);
    let made = async {
        let interrupted = tokio::spawn(async {
            // Without a signal handler it cannot be interrupted.
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending().await
            }
        });
        let books = load::load(atrium, plan.clone(), &interrupted).await;
        interrupted.abort();
        let (books, password) = (books?, password(atrium));
        let wanted =
            Wanted { demo, since, apps: &apps, password: &password, plan: &plan, books: &books };
        Ok::<_, anyhow::Error>(create::make(atrium, &wanted).await?)
    };
    match made.await {
        Ok(report) => Ok(Outcome::Made(Box::new(report))),
        Err(error) => {
            take_back(atrium, &ids).await;
            Err(error).context("the demo was not created")
        }
    }
}

/// Events of apps that do not exist would stay forever.
async fn take_back(atrium: &AppState, apps: &[Uuid]) {
    for app in apps {
        if let Err(error) = atrium.warehouse.purge_app(*app).await {
            tracing::warn!(%error, "the stored events of an app could not be removed");
            return;
        }
    }
}

fn password(atrium: &AppState) -> String {
    let random = atrium.entropy.bytes::<PASSWORD_LENGTH>();
    random.iter().map(|byte| char::from(LETTERS[usize::from(byte & 31)])).collect()
}
