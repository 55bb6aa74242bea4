//! `make bench`: measures Atrium as ratios within one run, because machines are noisy and ratios are
//! comparable. The results are in `docs/performance.md`.

#![allow(clippy::print_stdout)]

mod analyses;
mod both;
mod collect;
mod current;
mod devices;
mod history;
mod ids;
mod large;
mod lists;
mod load;
mod loaders;
mod overall;
mod program;
mod sending;
mod signin;
mod startup;

use anyhow::bail;

/// The same allocator as the program's, so that both sides of a ratio use it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Runtime::new()?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["collect", program] => runtime.block_on(collect::measure(program)),
        ["analyses", program] => runtime.block_on(analyses::measure(program)),
        ["current"] => runtime.block_on(current::measure()),
        ["overall", program] => runtime.block_on(overall::measure(program)),
        ["devices", program] => runtime.block_on(devices::measure(program)),
        ["ids", program] => runtime.block_on(ids::measure(program)),
        ["large", program] => runtime.block_on(large::measure(program)),
        ["loaders", program] => runtime.block_on(loaders::measure(program)),
        ["lists"] => runtime.block_on(lists::measure(std::env::var("BENCH_DATABASE_URL").ok())),
        ["signin"] => runtime.block_on(signin::measure()),
        ["serve-both", folder, accounts] => {
            runtime.block_on(both::serve(folder, accounts.parse()?))
        }
        ["startup", program] => startup::measure(program),
        _ => bail!(
            "usage: atrium-bench current | signin | lists, or startup | collect | overall | analyses | devices | ids | large | loaders PROGRAM"
        ),
    }
}
