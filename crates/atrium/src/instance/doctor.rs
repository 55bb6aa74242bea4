//! `atrium doctor`: checks everything an instance depends on and prints one line for each finding,
//! followed by advice for each problem. Changes nothing.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use url::Url;

use super::{mail_doctor, other_servers, store_doctor};
use crate::backup::schedule;
use crate::fleet::problems::{self, Severity};
use atrium_collect::collect::{loading, spool_slots};
use atrium_core::config::{BackupSettings, Settings};
use atrium_core::folder::{self, Room};
use atrium_core::keyring::KEY_FILE;
use atrium_core::types::{Clock, Millis};
use atrium_tenancy::chat_vendor::{Failure, Feishu, WechatWork};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Ok,
    Warning,
    Failure,
}

#[derive(Debug)]
pub struct Finding {
    pub verdict: Verdict,
    pub what: &'static str,
    pub text: String,
    /// What to do about it; empty if nothing is wrong.
    pub advice: String,
}

impl Finding {
    pub fn ok(what: &'static str, text: impl Into<String>) -> Self {
        Self { verdict: Verdict::Ok, what, text: text.into(), advice: String::new() }
    }

    pub fn warning(what: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { verdict: Verdict::Warning, what, text: text.into(), advice: advice.into() }
    }

    pub fn failure(what: &'static str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { verdict: Verdict::Failure, what, text: text.into(), advice: advice.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.verdict {
            Verdict::Ok => "ok     ",
            Verdict::Warning => "warning",
            Verdict::Failure => "FAILURE",
        };
        write!(f, "{mark}  {:<12} {}", self.what, self.text)?;
        if !self.advice.is_empty() {
            write!(f, "\n{:22}-> {}", "", self.advice)?;
        }
        Ok(())
    }
}

pub async fn examine(settings: &Settings) -> Vec<Finding> {
    let mut findings = vec![
        public_url(settings),
        data_dir(&settings.stores.data_dir),
        room(&settings.stores.data_dir),
        key_file(&settings.stores.data_dir.join(KEY_FILE)),
        spool(&settings.stores.data_dir),
        servers(settings),
    ];
    findings.extend(damaged_spools(&settings.stores.data_dir));
    findings.extend(store_doctor::event_stores(settings).await);
    findings.push(mail_doctor::examine(settings).await);
    findings.extend(settings.backup.as_ref().map(backups));
    findings.extend(chat(settings).await);
    findings.extend(store_doctor::database(settings).await);
    findings
}

fn public_url(settings: &Settings) -> Finding {
    let url = &settings.server.public_url;
    let is_local =
        url.host_str().is_some_and(|host| host == "localhost" || host.starts_with("127."));
    if settings.server.is_https() || is_local {
        Finding::ok("public_url", url.as_str())
    } else {
        let text = format!("{url} is not HTTPS: passwords and sessions are sent unencrypted");
        let advice =
            "Put a proxy with a certificate in front and set public_url to its https address";
        Finding::warning("public_url", text, advice)
    }
}

fn data_dir(folder: &Path) -> Finding {
    const WHAT: &str = "data_dir";
    let shown = folder.display();
    let Ok(about) = std::fs::metadata(folder) else {
        let advice = "`atrium serve` creates it; if it should exist already, check data_dir";
        return Finding::warning(WHAT, format!("{shown} does not exist"), advice);
    };
    let open_to_others = about.permissions().mode() & 0o077 != 0;
    if let Err(error) = std::fs::read_dir(folder) {
        let advice = "Run this as the server's user, or make that user the owner of the folder";
        return Finding::failure(WHAT, format!("{shown}: {error}"), advice);
    }
    match folder::check_writable(folder) {
        Err(error) => {
            let advice =
                "Mount the disk read-write, or make the server's user the owner of the folder";
            Finding::failure(WHAT, error.to_string(), advice)
        }
        Ok(()) if open_to_others => {
            let text = format!("{shown} is open to other users");
            Finding::warning(WHAT, text, format!("Run `chmod 700 {shown}`"))
        }
        Ok(()) => Finding::ok(WHAT, shown.to_string()),
    }
}

fn room(folder: &Path) -> Finding {
    const WHAT: &str = "disk";
    let Some(Room { free, size }) = folder::room(folder) else {
        return Finding::ok(WHAT, "free space unknown");
    };
    let (left, all) = (free >> 20, size >> 20);
    let text = format!("{left} of {all} MB are free for {}", folder.display());
    match problems::judge_room(free, size) {
        None => Finding::ok(WHAT, text),
        Some(Severity::Warning) => {
            let advice = "Free up space or enlarge the disk before it is full; a shorter retention of apps shrinks the event store";
            Finding::warning(WHAT, text, advice)
        }
        Some(Severity::Failure) => {
            let text = format!("{text}: it is full, nothing can be stored");
            Finding::failure(
                WHAT,
                text,
                "Free up space; the server recovers on its own within seconds",
            )
        }
    }
}

fn servers(settings: &Settings) -> Finding {
    const WHAT: &str = "servers";
    match other_servers::of_doctor(settings) {
        Ok(finding) => finding,
        Err(error) => {
            let advice = "Check that the spool's folders in data_dir belong to the server's user";
            Finding::warning(WHAT, format!("{error:#}"), advice)
        }
    }
}

fn backups(settings: &BackupSettings) -> Finding {
    const WHAT: &str = "backups";
    match schedule::look(settings, Clock::default().now()) {
        Ok(text) => Finding::ok(WHAT, text),
        Err(text) => {
            let advice = "Look for `backup` in the servers' logs, and check the free space and permissions of backup_folder";
            Finding::warning(WHAT, text, advice)
        }
    }
}

fn damaged_spools(folder: &Path) -> Vec<Finding> {
    let notes = spool_slots::notes_in(folder);
    notes
        .into_iter()
        .map(|note| {
            let advice = "Check the disk, and remove the damaged file and its .txt when you no longer need them";
            Finding::warning("spool", note.trim().to_owned(), advice)
        })
        .collect()
}

fn key_file(file: &Path) -> Finding {
    match std::fs::metadata(file) {
        Err(_) => {
            Finding::ok("key file", "none; it is created on first start unless master_key is set")
        }
        Ok(about) if about.permissions().mode() & 0o077 != 0 => {
            let text = format!("{} can be read by other users", file.display());
            let advice =
                format!("Run `chmod 600 {}`, and consider who may have read it", file.display());
            Finding::failure("key file", text, advice)
        }
        Ok(_) => Finding::ok("key file", file.display().to_string()),
    }
}

/// Messages waiting in the spools of this folder, and those that could not be stored.
fn spool(data_dir: &Path) -> Finding {
    const WHAT: &str = "spool";
    let found = match loading::examine(data_dir) {
        Ok(found) => found,
        Err(error) => {
            let advice = "See \"When something is wrong with the disk\" in docs/operating.md";
            return Finding::failure(WHAT, format!("{error:#}"), advice);
        }
    };
    let waited = found.oldest.map_or(0, |at| Clock::default().now().since(Millis(at)));
    let waiting = match (found.waiting, waited / Millis::SECOND) {
        (0, _) => "nothing is waiting".to_owned(),
        (messages, seconds) => {
            format!("{messages} messages are waiting, the oldest for {seconds} s")
        }
    };
    if found.set_aside > 0 {
        let (count, file) = (found.set_aside, found.set_aside_in.display());
        let text = format!("{waiting}; {count} could not be stored and are set aside in {file}");
        let advice = "The log says why; they are kept for 30 days, and the app's page counts them";
        Finding::warning(WHAT, text, advice)
    } else if waited > loading::WAITING_LONG {
        let advice = "See the log for \"loading events failed\", and check that the event store is reachable and has free space";
        Finding::warning(WHAT, format!("{waiting}: loading is behind or failing"), advice)
    } else {
        Finding::ok(WHAT, waiting)
    }
}

/// For each configured work chat, requests a token, which is granted for the right secret.
async fn chat(settings: &Settings) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Some(settings) = &settings.chat.wechatwork {
        let asked = match WechatWork::new(settings.clone()) {
            Ok(vendor) => vendor.fetch().await.map(|_| ()),
            Err(_) => Err(Failure::Nonsense),
        };
        findings.push(vendor("wechatwork", &settings.corp_id, &settings.api_url, asked));
    }
    if let Some(settings) = &settings.chat.feishu {
        let asked = match Feishu::new(settings.clone()) {
            Ok(vendor) => vendor.fetch().await.map(|_| ()),
            Err(_) => Err(Failure::Nonsense),
        };
        findings.push(vendor("feishu", &settings.app_id, &settings.api_url, asked));
    }
    findings
}

/// A vendor that is unavailable may come back; one that refuses means a wrong setting.
fn vendor(what: &'static str, id: &str, api: &Url, asked: Result<(), Failure>) -> Finding {
    let host = api.host_str().unwrap_or_default();
    match asked {
        Ok(()) => Finding::ok(what, format!("{id}, {host} issues a token")),
        Err(Failure::Code(code)) => {
            let text = format!("{host} rejects the app {id} or its secret (error {code})");
            let advice =
                "Compare the id and the secret in the settings with those on the vendor's page";
            Finding::failure(what, text, advice)
        }
        Err(failure) => {
            let advice = "Check that this machine can reach it; messages wait and are sent later";
            Finding::warning(what, format!("{host}: {failure}"), advice)
        }
    }
}
