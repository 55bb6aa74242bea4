//! The text of every mail in both languages, as plain text and HTML. A mail has an opening without a
//! greeting, one thing to do, and a line for recipients who did not ask for it.

use serde::{Deserialize, Serialize};

use crate::config::ServerSettings;
use crate::locale::Locale;
use crate::notices::Notice;
use crate::text::isolated;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Letter {
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// The parts of a mail.
struct Parts<'a> {
    subject: String,
    opening: &'a str,
    action: Action<'a>,
    closing: &'a str,
}

enum Action<'a> {
    Link { label: &'a str, address: &'a str },
    Code(&'a str),
    Nothing,
}

/// Picks the text by language: Chinese first.
fn say<'a>(locale: Locale, zh: &'a str, en: &'a str) -> &'a str {
    match locale {
        Locale::ZhCn => zh,
        Locale::EnUs => en,
    }
}

pub fn register(locale: Locale, link: &str) -> Letter {
    compose(
        locale,
        Parts {
            subject: say(locale, "完成 Atrium 注册", "Finish signing up for Atrium").to_owned(),
            opening: say(
                locale,
                "你正在用这个邮箱注册 Atrium。点击下面的链接，设置姓名和密码即可完成。链接 24 小时内有效，只能使用一次。",
                "You are signing up for Atrium with this email address. Open the link to choose a \
                 name and a password. It works once and expires in 24 hours.",
            ),
            action: Action::Link { label: say(locale, "继续注册", "Continue"), address: link },
            closing: say(
                locale,
                "如果不是你本人操作，忽略这封邮件即可，不会创建任何账号。",
                "If this wasn't you, ignore this email. No account will be created.",
            ),
        },
    )
}

/// For an address that already has an account: the page must not reveal that, the mail may.
pub fn already_registered(locale: Locale, login: &str) -> Letter {
    compose(
        locale,
        Parts {
            subject: say(locale, "你已有 Atrium 账号", "You already have an Atrium account")
                .to_owned(),
            opening: say(
                locale,
                "有人尝试用这个邮箱注册 Atrium 账号，或把它设为登录邮箱，但该邮箱已有账号。如果是你本人，请直接登录；如果忘记了密码，可在登录页重置。",
                "Someone tried to use this email address on Atrium, but it already has an \
                 account. If that was you, just sign in. If you forgot your password, you can \
                 reset it on the sign-in page.",
            ),
            action: Action::Link { label: say(locale, "前往登录", "Sign in"), address: login },
            closing: say(
                locale,
                "如果不是你本人操作，忽略这封邮件即可，账号没有任何变化。",
                "If this wasn't you, ignore this email. Nothing about your account has changed.",
            ),
        },
    )
}

pub fn login_code(locale: Locale, code: &str) -> Letter {
    compose(
        locale,
        Parts {
            subject: match locale {
                Locale::ZhCn => format!("{code} 是你的 Atrium 登录验证码"),
                Locale::EnUs => format!("{code} is your Atrium sign-in code"),
            },
            opening: say(
                locale,
                "在发起登录的浏览器中输入验证码。验证码 10 分钟内有效。",
                "Enter this code in the browser where you requested it. It expires in 10 minutes.",
            ),
            action: Action::Code(code),
            closing: say(
                locale,
                "不要把验证码告诉任何人。如果不是你本人操作，忽略这封邮件即可。",
                "Don't share this code with anyone. If you didn't request it, ignore this email.",
            ),
        },
    )
}

pub fn password_reset(locale: Locale, link: &str) -> Letter {
    compose(
        locale,
        Parts {
            subject: say(locale, "重置 Atrium 密码", "Reset your Atrium password").to_owned(),
            opening: say(
                locale,
                "点击下面的链接设置新密码。链接 1 小时内有效，只能使用一次。",
                "Open the link to choose a new password. It works once and expires in 1 hour.",
            ),
            action: Action::Link {
                label: say(locale, "设置新密码", "Choose a new password"),
                address: link,
            },
            closing: say(
                locale,
                "如果不是你本人操作，忽略这封邮件即可，密码不会改变。",
                "If you didn't request this, ignore this email. Your password will not change.",
            ),
        },
    )
}

pub fn email_change(locale: Locale, account: &str, link: &str) -> Letter {
    let (zh, en) = (
        format!(
            "Atrium 账号 {account} 申请把登录邮箱改为这个地址。点击下面的链接确认。链接 24 小时内有效，只能使用一次。"
        ),
        format!(
            "A change of the email address of the Atrium account {account} to this one was \
             requested. Open the link to confirm. It works once and expires in 24 hours."
        ),
    );
    compose(
        locale,
        Parts {
            subject: say(
                locale,
                "确认新的 Atrium 登录邮箱",
                "Confirm your new Atrium email address",
            )
            .to_owned(),
            opening: say(locale, &zh, &en),
            action: Action::Link {
                label: say(locale, "确认新邮箱", "Confirm new address"),
                address: link,
            },
            closing: say(
                locale,
                "如果不是你本人操作，忽略这封邮件即可，什么都不会改变。",
                "If this wasn't you, ignore this email. Nothing will change.",
            ),
        },
    )
}

pub fn account_deleted(locale: Locale) -> Letter {
    compose(
        locale,
        Parts {
            subject: say(locale, "Atrium 账号已删除", "Your Atrium account was deleted").to_owned(),
            opening: say(
                locale,
                "你的 Atrium 账号已按你的要求删除，所有登录均已退出。",
                "Your Atrium account was deleted as you requested, and all your devices were \
                 signed out.",
            ),
            action: Action::Nothing,
            closing: say(
                locale,
                "如果不是你本人操作，请尽快联系该 Atrium 服务器的管理员。",
                "If this wasn't you, contact an operator of this Atrium instance as soon as \
                 possible.",
            ),
        },
    )
}

/// For someone without an account; the link leads to making one.
pub fn invitation(locale: Locale, org: &str, by: &str, link: &str) -> Letter {
    let (org, by) = (isolated(&without_links(org)), isolated(&without_links(by)));
    // No text from the inviter in the subject: this goes to people who never asked for anything.
    let subject =
        say(locale, "你收到一份 Atrium 团队邀请", "You have been invited to a team on Atrium")
            .to_owned();
    let opening = match locale {
        Locale::ZhCn => format!(
            "{by} 邀请你加入 Atrium 上的团队“{org}”。点击下面的链接，设置姓名和密码即可加入。链接 7 天内有效，只能使用一次。"
        ),
        Locale::EnUs => format!(
            "{by} has invited you to join the team “{org}” on Atrium. Open the link to choose a \
             name and a password and join. It works once and expires in 7 days."
        ),
    };
    let closing = say(
        locale,
        "如果你不认识邀请人，忽略这封邮件即可。",
        "If you don't know who invited you, ignore this email.",
    );
    let label = say(locale, "接受邀请", "Accept the invitation");
    let action = Action::Link { label, address: link };
    compose(locale, Parts { subject, opening: &opening, action, closing })
}

/// A console notice as a mail.
pub fn notice(locale: Locale, notice: &Notice, server: &ServerSettings) -> Letter {
    let words = notice.words(locale);
    let address = notice.link().map(|path| server.link(&path));
    let action = match &address {
        Some(address) => Action::Link { label: say(locale, "前往查看", "View"), address },
        None => Action::Nothing,
    };
    let forgot = server.link("/forgetPwd");
    let (subject, closing) = match (notice.kind(), locale) {
        ("security", Locale::ZhCn) => (
            format!("安全提醒：{}", words.title),
            format!(
                "如果不是你本人操作，请立即重置密码，并检查登录设备、两步验证、通行密钥和已绑定的账号：{forgot}"
            ),
        ),
        ("security", Locale::EnUs) => (
            format!("Security alert: {}", words.title),
            format!(
                "If this wasn't you, reset your password now, and review your devices, two-step \
                 verification, passkeys, and linked accounts: {forgot}"
            ),
        ),
        (_, Locale::ZhCn) => (words.title, "可在个人资料的通知设置中关闭这类邮件。".to_owned()),
        (_, Locale::EnUs) => (
            words.title,
            "You can turn off these emails in the notification settings of your profile."
                .to_owned(),
        ),
    };
    compose(locale, Parts { subject, opening: &words.text, action, closing: &closing })
}

fn compose(locale: Locale, parts: Parts<'_>) -> Letter {
    let (text_action, html_action) = match &parts.action {
        Action::Link { label, address } => (
            format!("{label}\n{address}\n\n"),
            format!(
                "<p style=\"margin:24px 0\"><a href=\"{0}\" \
                 style=\"background:#006bd6;color:#ffffff;padding:10px \
                 20px;border-radius:6px;text-decoration:none\">{1}</a></p><p \
                 style=\"color:#5b6675;font-size:13px;word-break:break-all\">{0}</p>",
                escape(address),
                escape(label)
            ),
        ),
        Action::Code(code) => (
            format!("{code}\n\n"),
            format!(
                "<p style=\"margin:24px 0;font-size:28px;font-weight:600;letter-spacing:6px\">{}</p>",
                escape(code)
            ),
        ),
        Action::Nothing => (String::new(), String::new()),
    };
    let text = format!("{}\n\n{text_action}{}\n\nAtrium\n", parts.opening, parts.closing);
    let html = format!(
        "<!doctype html><html lang=\"{}\"><body style=\"margin:0;background:#f4f6f9\"><div \
         style=\"max-width:520px;margin:32px \
         auto;padding:32px;background:#ffffff;border-radius:10px;font:15px/1.7 \
         -apple-system,'Segoe UI','PingFang SC','Microsoft YaHei',sans-serif;color:#1c2430\"><p \
         style=\"font-weight:600;font-size:18px;margin-top:0\">{}</p><p>{}</p>{}<p \
         style=\"color:#5b6675;font-size:13px\">{}</p></div></body></html>",
        locale.as_str(),
        escape(&parts.subject),
        escape(parts.opening),
        html_action,
        escape(parts.closing)
    );
    Letter { subject: parts.subject, text, html }
}

/// Breaks up a name so that no mail program turns it into a link.
fn without_links(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let joins = letters.peek().is_some_and(|next| !next.is_whitespace());
        plain.push(if matches!(letter, '.' | '/' | ':' | '@') && joins { '·' } else { letter });
    }
    plain
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_says_its_thing_in_both_languages_and_forms() {
        let link = "https://atrium.example.com/pwdReset/abc";
        for locale in Locale::ALL {
            for letter in [
                register(locale, link),
                already_registered(locale, link),
                password_reset(locale, link),
                email_change(locale, "old@example.com", link),
                invitation(locale, "Team", "Jane", link),
            ] {
                assert!(letter.text.contains(link), "{}", letter.subject);
                assert!(letter.html.contains(link), "{}", letter.subject);
                assert!(letter.html.contains(&format!("lang=\"{}\"", locale.as_str())));
            }
            let letter = login_code(locale, "042137");
            assert!(letter.subject.contains("042137") && letter.text.contains("042137"));
        }
        assert_ne!(register(Locale::ZhCn, link).text, register(Locale::EnUs, link).text);
    }

    #[test]
    fn a_notice_about_security_says_what_to_do() {
        let settings = crate::config::Settings::check(Default::default()).unwrap();
        for locale in Locale::ALL {
            let added = Notice::PasskeyAdded { name: "<b>key</b>".to_owned() };
            let letter = notice(locale, &added, &settings.server);
            assert!(letter.text.contains("/forgetPwd"), "{}", letter.text);
            assert!(letter.html.contains("&lt;b&gt;key"), "{}", letter.html);
        }
    }

    #[test]
    fn a_name_is_no_link() {
        assert_eq!(without_links("https://evil.example"), "https···evil·example");
        assert_eq!(without_links("Acme Inc."), "Acme Inc.");
    }

    #[test]
    fn html_is_escaped() {
        assert_eq!(escape("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
    }
}
