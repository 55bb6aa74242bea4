//! GET /current with a session, against a bare axum handler that returns the same bytes from the same
//! process.

use std::time::Duration;

use crate::both::{self, Both};
use crate::load::{self, Outcome};
use crate::sending::Template;

const CONNECTIONS: usize = 64;
const ROUNDS: usize = 6;
const SLICE: Duration = Duration::from_secs(2);

pub async fn measure() -> anyhow::Result<()> {
    let both = Both::start(1).await?;
    let (server, bare) = (both.server, both.bare);
    let cookie = both::sign_in(server, [127, 0, 0, 1], 0).await?;
    let current = format!("GET /api/v1/current HTTP/1.1\r\nhost: a\r\ncookie: {cookie}\r\n");
    let current = Template::plain(&current);
    let plain = Template::plain("GET / HTTP/1.1\r\nhost: a\r\n");
    load::send(server, &current, CONNECTIONS, SLICE / 2).await?;
    load::send(bare, &plain, CONNECTIONS, SLICE / 2).await?;
    // Alternating, so that a busy moment of the machine affects both alike.
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(load::send(server, &current, CONNECTIONS, SLICE).await?);
        theirs.push(load::send(bare, &plain, CONNECTIONS, SLICE).await?);
    }
    let (ours, theirs) = (Outcome::merge(ours), Outcome::merge(theirs));

    println!("GET /current with a session, {CONNECTIONS} connections");
    println!("  bare axum handler   {:>8.0} requests/s", theirs.per_second());
    println!("  GET /current        {:>8.0} requests/s", ours.per_second());
    println!(
        "  ratio               {:>8.2}  (goal ≥ 0.50)",
        ours.per_second() / theirs.per_second()
    );
    println!(
        "  p50 {:.2} ms, p99 {:.2} ms  (goal: p99 < 10 ms; bare p99 {:.2} ms)",
        ours.percentile_ms(50.0),
        ours.percentile_ms(99.0),
        theirs.percentile_ms(99.0)
    );
    Ok(())
}
