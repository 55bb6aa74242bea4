//! The subcommands, nothing else.

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use atrium::accounts::create::{self, NewAccount};
use atrium::accounts::{link, operator};
use atrium::app::AppState;
use atrium::audit::Actor;
use atrium::backup::{self, restore};
use atrium::collect::spool_adopt;
use atrium::config::{RawSettings, Settings, SettingsArgs};
use atrium::first_start;
use atrium::http::CLIENT_VERSION;
use atrium::http::user_agent;
use atrium::instance::doctor::{self, Verdict};
use atrium::instance::healthcheck;
use atrium::key_rotation;
use atrium::locale::Locale;
use atrium::sso::domains;
use atrium::store::accounts::{self as store, SessionListRow};
use atrium::types::{Clock, Id};
use atrium::{demo, logging, moving, permissions, router, server};
use clap::{Parser, Subcommand};
use serde_json::json;

/// Requests allocate and free small objects on several threads at once, for which the system's allocator
/// makes them wait (docs/performance.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(name = "atrium", version = CLIENT_VERSION, about = "Self-hosted console, API, and event collector")]
struct Cli {
    #[command(subcommand)]
    command: Command,

    #[command(flatten, next_help_heading = "Settings")]
    settings: SettingsArgs,
}

#[derive(Subcommand)]
enum Command {
    /// Start the server
    Serve,
    /// Bring the database schema up to date and stop
    Migrate,
    /// Manage accounts from the command line
    Admin {
        #[command(subcommand)]
        command: AdminCommand,
    },
    /// Fill an instance that is not running with two teams, six apps and months of events
    Demo(demo::Options),
    /// Manage messages that are waiting to be loaded
    Spool {
        #[command(subcommand)]
        command: SpoolCommand,
    },
    /// Back up everything in an instance to an archive, while it runs
    Backup(backup::Options),
    /// Create an instance from such an archive, in an empty data folder
    Restore(restore::Options),
    /// Move an instance from this machine's stores to PostgreSQL and ClickHouse, while it runs
    Move(moving::Options),
    /// Check everything an instance depends on and report problems
    Doctor,
    /// Check whether the server with these settings responds; the exit code is 0 if it does
    Healthcheck,
    /// Print the OpenAPI document
    Openapi,
    /// Run the embedded event store for the server that started it
    #[command(hide = true)]
    Engine,
    /// Print the permissions of each role
    #[command(hide = true)]
    Permissions,
}

#[derive(Subcommand)]
enum SpoolCommand {
    /// Hand the messages waiting on a lost machine to the server of this data folder
    Adopt {
        /// The lost machine's data folder, or a copy of it
        folder: PathBuf,
    },
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Create an account with an organization and a first app
    CreateUser {
        #[arg(long)]
        email: String,
        #[arg(long)]
        name: String,
        #[arg(long)]
        organization: String,
        /// IANA time zone of the account and the organization
        #[arg(long)]
        timezone: Option<String>,
        /// Language of mails to this person: zh-CN or en-US
        #[arg(long, default_value = "zh-CN")]
        locale: String,
        /// Read the password from the first line of standard input
        #[arg(long, required = true)]
        password_stdin: bool,
    },
    /// Disable an account and end all its sessions
    DisableUser {
        #[arg(long)]
        email: String,
    },
    /// Enable a disabled account
    EnableUser {
        #[arg(long)]
        email: String,
    },
    /// Give a person access to the operator's pages of the console
    AddOperator {
        #[arg(long)]
        email: String,
    },
    /// Revoke that access
    RemoveOperator {
        #[arg(long)]
        email: String,
    },
    /// Remove a person's second factor and passkeys, end their sessions, and notify them
    ResetSecondFactor {
        #[arg(long)]
        email: String,
    },
    /// Print a link that signs a person in once, within 15 minutes; a second factor is still required
    SignInLink {
        #[arg(long)]
        email: String,
    },
    /// Verify an organization's mail domain without a DNS record
    VerifyDomain {
        /// The organization's id
        #[arg(long)]
        organization: String,
        #[arg(long)]
        domain: String,
    },
    /// End one session of a person, or all of them, and notify them
    EndSessions {
        #[arg(long)]
        email: String,
        /// Id of the session, as printed by list-sessions
        #[arg(long)]
        session: Option<String>,
    },
    /// Replace the master key and re-encrypt everything with it, while servers run. If interrupted, run
    /// it again to continue
    RotateKey {
        /// Seconds to wait for servers to notice the new key before checking everything again
        #[arg(long, default_value_t = 45)]
        settle: u64,
    },
    /// Print a person's sessions, one line of JSON each
    ListSessions {
        #[arg(long)]
        email: String,
    },
    /// Start with an empty database if the previous one is lost for good
    StartAnew,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    if matches!(cli.command, Command::Engine) {
        return warehouse::engine::main();
    }
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("atrium: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    match cli.command {
        Command::Openapi => return print_openapi(),
        Command::Permissions => return print_permissions(),
        _ => {}
    }
    let settings = Settings::check(RawSettings::load(&cli.settings)?)?;
    logging::start(&settings.log)?;
    match cli.command {
        Command::Serve => server::serve(settings).await.map(|()| ExitCode::SUCCESS),
        Command::Migrate => migrate(settings).await,
        Command::Admin { command } => admin(settings, command).await,
        Command::Demo(options) => make_demo(settings, &options).await,
        Command::Spool { command } => spool(settings, command).await,
        Command::Backup(options) => report(&backup::run(settings, &options).await?),
        Command::Restore(options) => report(&restore::run(settings, &options).await?),
        Command::Move(options) => report(&moving::run(settings, &options).await?),
        Command::Doctor => examine(settings).await,
        Command::Healthcheck => healthcheck::run(&settings).await.map(|()| ExitCode::SUCCESS),
        Command::Openapi | Command::Permissions | Command::Engine => Ok(ExitCode::SUCCESS),
    }
}

#[allow(clippy::print_stdout)]
fn print_permissions() -> anyhow::Result<ExitCode> {
    print!("{}", permissions::page());
    Ok(ExitCode::SUCCESS)
}

#[allow(clippy::print_stdout)]
fn print_openapi() -> anyhow::Result<ExitCode> {
    println!("{}", router::openapi().to_pretty_json()?);
    Ok(ExitCode::SUCCESS)
}

async fn migrate(settings: Settings) -> anyhow::Result<ExitCode> {
    let atrium = AppState::start(settings, Clock::default()).await?;
    atrium.db.close().await;
    Ok(ExitCode::SUCCESS)
}

async fn spool(settings: Settings, command: SpoolCommand) -> anyhow::Result<ExitCode> {
    let SpoolCommand::Adopt { folder } = command;
    let atrium = AppState::start(settings, Clock::default()).await?;
    let data_dir = &atrium.settings.stores.data_dir;
    let adopted = spool_adopt::adopt(&atrium.db, atrium.now(), data_dir, &folder).await;
    atrium.db.close().await;
    let lines = adopted?.into_iter().map(|it| {
        let (from, to) = (it.from.display().to_string(), it.to.display().to_string());
        json!({ "from": from, "to": to, "messages": it.messages })
    });
    print_lines(&lines.collect::<Vec<_>>());
    Ok(ExitCode::SUCCESS)
}

async fn admin(settings: Settings, command: AdminCommand) -> anyhow::Result<ExitCode> {
    if matches!(command, AdminCommand::StartAnew) {
        return start_anew(settings).await;
    }
    let password = match command {
        AdminCommand::CreateUser { .. } => password_from_stdin()?,
        _ => String::new(),
    };
    let atrium = AppState::start(settings, Clock::default()).await?;
    let printed = administer(&atrium, command, password).await;
    atrium.db.close().await;
    print_lines(&printed?);
    Ok(ExitCode::SUCCESS)
}

/// Allows what a normal start refuses: an empty database in a folder that was in use.
async fn start_anew(settings: Settings) -> anyhow::Result<ExitCode> {
    let folder = settings.stores.data_dir.clone();
    let atrium = AppState::start_anew(settings, Clock::default()).await?;
    let awaits_setup = store::awaits_setup(&mut *atrium.db.read().await?).await?;
    atrium.db.close().await;
    anyhow::ensure!(awaits_setup, "the database is in use and has accounts: nothing was changed");
    first_start::forget(&folder)?;
    print_lines(&[json!({ "started_anew": true })]);
    Ok(ExitCode::SUCCESS)
}

/// Runs a command and returns what to print.
async fn administer(
    atrium: &AppState,
    command: AdminCommand,
    password: String,
) -> anyhow::Result<Vec<serde_json::Value>> {
    let unknown = |email: &str| anyhow::anyhow!("{email} has no account");
    match command {
        AdminCommand::CreateUser { email, name, organization, timezone, locale, .. } => {
            let locale = Locale::parse(&locale).context("--locale must be zh-CN or en-US")?;
            let account = NewAccount {
                email,
                name,
                password,
                organization: Some(organization),
                locale,
                timezone,
            };
            let created = create::by_operator(atrium, account).await?;
            Ok(vec![json!({ "user_id": created.user_id, "org_id": created.org_id })])
        }
        AdminCommand::DisableUser { email } => {
            let user = operator::set_disabled(atrium, &email, true).await?;
            let user = user.ok_or_else(|| unknown(&email))?;
            Ok(vec![json!({ "user_id": user.id, "disabled": true })])
        }
        AdminCommand::EnableUser { email } => {
            let user = operator::set_disabled(atrium, &email, false).await?;
            let user = user.ok_or_else(|| unknown(&email))?;
            Ok(vec![json!({ "user_id": user.id, "disabled": false })])
        }
        AdminCommand::AddOperator { email } => {
            let user = operator::set_operator(atrium, &email, true).await?;
            let user = user.ok_or_else(|| unknown(&email))?;
            Ok(vec![json!({ "user_id": user.id, "operator": true })])
        }
        AdminCommand::RemoveOperator { email } => {
            let user = operator::set_operator(atrium, &email, false).await?;
            let user = user.ok_or_else(|| unknown(&email))?;
            Ok(vec![json!({ "user_id": user.id, "operator": false })])
        }
        AdminCommand::ResetSecondFactor { email } => {
            let reset = operator::reset_second_factor(atrium, &email).await?;
            let reset = reset.ok_or_else(|| unknown(&email))?;
            let (totp, passkeys) = (reset.totp, reset.passkeys);
            Ok(vec![json!({ "user_id": reset.user.id, "totp": totp, "passkeys": passkeys })])
        }
        AdminCommand::SignInLink { email } => {
            let made = link::make(atrium, &email).await?;
            let (user, link) =
                made.with_context(|| format!("{email} has no account, or it is disabled"))?;
            Ok(vec![json!({ "user_id": user.id, "link": link })])
        }
        AdminCommand::VerifyDomain { organization, domain } => {
            let org_id = Id::parse(&organization).context("--organization must be an id")?;
            let verified = domains::by_operator(atrium, &org_id, &domain).await?;
            let verified =
                verified.with_context(|| format!("organization {organization} does not exist"))?;
            let (domain, at) = (verified.domain, verified.verified_at);
            Ok(vec![json!({ "org_id": org_id, "domain": domain, "verified_at": at })])
        }
        AdminCommand::EndSessions { email, session } => {
            let id =
                session.as_deref().map(|text| Id::parse(text).context("--session must be an id"));
            let (by, id) = (Actor::operator(), id.transpose()?);
            let ended = operator::end_sessions(atrium, &by, &email, id.as_ref()).await?;
            let (user, ended) = ended.ok_or_else(|| unknown(&email))?;
            if let (Some(session), 0) = (session, ended) {
                anyhow::bail!("{email} has no session {session}");
            }
            Ok(vec![json!({ "user_id": user.id, "ended": ended })])
        }
        AdminCommand::RotateKey { settle } => {
            let done = key_rotation::rotate(atrium, Duration::from_secs(settle)).await?;
            let (from, to) = (done.from, done.to);
            let (moved, unreadable) = (done.moved, done.unreadable);
            Ok(vec![json!({ "from": from, "to": to, "moved": moved, "unreadable": unreadable })])
        }
        AdminCommand::ListSessions { email } => {
            let sessions = operator::sessions(atrium, &Actor::operator(), &email).await?;
            let (_, sessions) = sessions.ok_or_else(|| unknown(&email))?;
            let line = |row: &SessionListRow| {
                json!({
                    "id": row.id, "created_at": row.created_at, "last_seen_at": row.last_seen_at,
                    "ip": row.ip, "user_agent": user_agent::in_words(&row.user_agent),
                })
            };
            Ok(sessions.iter().map(line).collect())
        }
        AdminCommand::StartAnew => Ok(Vec::new()),
    }
}

#[allow(clippy::print_stdout)]
fn print_lines(lines: &[serde_json::Value]) {
    for line in lines {
        println!("{line}");
    }
}

fn password_from_stdin() -> anyhow::Result<String> {
    let mut text = String::new();
    std::io::stdin().take(4096).read_to_string(&mut text).context("standard input")?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

/// The exit code that tells scripts that there already is a demo, as opposed to a failure.
const THERE_ALREADY: u8 = 3;

#[allow(clippy::print_stdout)]
async fn make_demo(settings: Settings, options: &demo::Options) -> anyhow::Result<ExitCode> {
    match demo::run(settings, options).await? {
        demo::Outcome::Made(report) if options.json => {
            println!("{}", serde_json::to_string(&report)?);
            Ok(ExitCode::SUCCESS)
        }
        demo::Outcome::Made(report) => {
            println!("{report}");
            Ok(ExitCode::SUCCESS)
        }
        demo::Outcome::ThereAlready(owner) => {
            eprintln!(
                "atrium: there already is a demo here. To sign in to it, run `atrium admin \
                 sign-in-link --email {owner}`. To add another, use --again. To start afresh, use \
                 another data_dir"
            );
            Ok(ExitCode::from(THERE_ALREADY))
        }
    }
}

fn report(made: &impl serde::Serialize) -> anyhow::Result<ExitCode> {
    print_lines(&[serde_json::to_value(made)?]);
    Ok(ExitCode::SUCCESS)
}

#[allow(clippy::print_stdout)]
async fn examine(settings: Settings) -> anyhow::Result<ExitCode> {
    let findings = doctor::examine(&settings).await;
    for finding in &findings {
        println!("{finding}");
    }
    let worst = findings.iter().map(|finding| finding.verdict).max();
    Ok(if worst == Some(Verdict::Failure) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
