//! docs/operating.md: every command in it exists, and the ones in code blocks do what the text says.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use crate::process::{Server, text};
use crate::support::engine_library;

const ATRIUM: &str = env!("CARGO_BIN_EXE_atrium");
const HANDBOOK: &str = include_str!("../../../../docs/operating.md");

/// Code blocks that run the program.
fn blocks() -> Vec<&'static str> {
    let blocks = HANDBOOK.split("\n```").skip(1).step_by(2);
    let runs =
        |block: &&str| block.lines().any(|line| line.contains("atrium ") && is_command(line));
    blocks.map(|block| block.trim()).filter(runs).collect()
}

fn is_command(line: &str) -> bool {
    line.starts_with("atrium ") || line.contains("dist/atrium ")
}

/// Commands of the program that are quoted in a sentence.
fn mentioned() -> BTreeSet<&'static str> {
    let paragraphs = HANDBOOK.split("\n```").step_by(2);
    let mentioned = paragraphs.flat_map(|text| text.split('`').skip(1).step_by(2));
    mentioned.filter(|text| text.starts_with("atrium ") && !text.contains('…')).collect()
}

/// The first column of the table below `atrium admin …`.
fn administration() -> Vec<String> {
    let (_, table) = HANDBOOK.split_once("\n| `atrium admin …` |").unwrap();
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let firsts = lines.filter_map(|line| line.split('|').nth(1));
    let commands = firsts.flat_map(|first| first.split('`').skip(1).step_by(2));
    commands.map(|command| format!("atrium admin {command}")).collect()
}

#[test]
fn commands_and_their_options_are_there() {
    let (mentioned, administration) = (mentioned(), administration());
    assert!(mentioned.len() > 10 && administration.len() > 5, "{mentioned:?} {administration:?}");
    for command in mentioned.into_iter().chain(administration.iter().map(String::as_str)) {
        let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        let words = command.split_whitespace().skip(1);
        let subcommands: Vec<_> =
            words.clone().take_while(|it| is_word(it) && !it.starts_with('-')).collect();
        let help = Command::new(ATRIUM).args(&subcommands).arg("--help").output().unwrap();
        assert!(help.status.success(), "{command}: {}", text(&help.stderr));
        let options = words.map(|word| word.trim_matches(['[', ']']));
        for option in options.filter(|word| word.starts_with("--") && *word != "--help") {
            assert!(text(&help.stdout).contains(option), "{command}: there is no {option}");
        }
    }
}

/// Runs a line of the handbook in a shell, with these folders in place of its own.
fn run(line: &str, home: &Path, data: &Path, backups: &Path) -> Output {
    let line = line.replace("dist/atrium ", "atrium ").replace("atrium ", "\"$ATRIUM\" ");
    let line = line.replace("/var/lib/\"$ATRIUM\"", "/var/lib/atrium");
    let line = line.replace("/var/lib/atrium", data.to_str().unwrap());
    let line = line.replace("/backup/", &format!("{}/", backups.display()));
    Command::new("bash")
        .args(["-euo", "pipefail", "-c", &line])
        .current_dir(home)
        .env("ATRIUM", ATRIUM)
        .env("PASSWORD", "seven blue herons")
        .env("ATRIUM_ENGINE_LIBRARY", engine_library())
        .output()
        .unwrap()
}

#[track_caller]
fn done(output: &Output) {
    assert!(output.status.success(), "{} {}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn what_is_written_out_does_what_it_says() {
    let blocks = blocks();
    // `faults moving::` tests the commands for moving.
    let [start, account, backup, moving, doctor] = blocks[..] else { panic!("{blocks:#?}") };
    assert!(start.contains("dist/atrium serve ") && moving.contains("\natrium move "));
    let home = tempfile::tempdir().unwrap();
    let (data, backups) = (home.path().join("data"), tempfile::tempdir().unwrap());
    done(&run(account, home.path(), &data, backups.path()));
    let server = Server::start(&data, &[]);
    let (backup, restore) = backup.split_once('\n').unwrap();
    done(&run(backup, home.path(), &data, backups.path()));
    let found = run(doctor, home.path(), &data, backups.path());
    done(&found);
    assert!(text(&found.stdout).contains("ok"), "{}", text(&found.stdout));
    server.signal("-TERM");
    assert_eq!(server.finish().0, Some(0));

    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::copy(data.join("master.key"), elsewhere.path().join("master.key")).unwrap();
    done(&run(restore, home.path(), elsewhere.path(), backups.path()));
    let server = Server::start(elsewhere.path(), &[]);
    assert_eq!(server.setup_link(), None, "the account is there");
    server.signal("-TERM");
    assert_eq!(server.finish().0, Some(0));
}
