//! The time from start to ready on an empty data folder, and the memory of an idle server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

const RUNS: usize = 5;

pub fn measure(program: &str) -> anyhow::Result<()> {
    let mut times = Vec::new();
    let mut memory = Vec::new();
    for _ in 0..RUNS {
        let folder = tempfile::tempdir()?;
        let started = Instant::now();
        let mut child = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let result = until_ready(&mut child).map(|()| started.elapsed()).and_then(|time| {
            std::thread::sleep(Duration::from_secs(2));
            Ok((time, memory_megabytes(child.id(), "VmRSS:")?))
        });
        child.kill()?;
        child.wait()?;
        let (time, megabytes) = result?;
        times.push(time.as_secs_f64() * 1000.0);
        memory.push(megabytes);
    }
    times.sort_by(f64::total_cmp);
    memory.sort_by(f64::total_cmp);
    println!("Start on an empty data folder, {RUNS} runs");
    println!(
        "  ready after         {:>8.0} ms median, {:.0} ms worst  (goal < 500 ms)",
        times[RUNS / 2],
        times[RUNS - 1]
    );
    println!("  idle memory         {:>8.1} MB resident  (goal < 60 MB)", memory[RUNS / 2]);
    Ok(())
}

fn until_ready(child: &mut Child) -> anyhow::Result<()> {
    let mut line = String::new();
    BufReader::new(child.stdout.take().context("no output")?).read_line(&mut line)?;
    let address = line.trim().rsplit("http://").next().context("no address")?.to_owned();
    for _ in 0..1000 {
        let mut stream = TcpStream::connect(&address)?;
        stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        if answer.starts_with("HTTP/1.1 200") {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    bail!("never ready")
}

/// A line of the process's status, such as VmRSS.
pub fn memory_megabytes(pid: u32, name: &str) -> anyhow::Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find(|line| line.starts_with(name)).context("no such figure")?;
    let kilobytes: f64 = line.split_whitespace().nth(1).context("no figure")?.parse()?;
    Ok(kilobytes / 1024.0)
}
