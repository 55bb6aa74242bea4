//! What people can be told, and the words for it in both languages: one place for the console and
//! for mail.

use serde::{Deserialize, Serialize};

use crate::http::locale::Locale;

/// One thing to tell someone. Kept as JSON, so a variant's name and fields stay once released.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Notice {
    /// Someone signed in from a browser that had not signed in to the account before.
    NewDevice {
        device: String,
        ip: String,
        at: String,
    },
    PasswordChanged,
    EmailChanged {
        email: String,
    },
    TotpAdded,
    TotpRemoved,
    RecoveryCodesRenewed,
    RecoveryCodeUsed {
        left: i64,
    },
    PasskeyAdded {
        name: String,
    },
    PasskeyRemoved {
        name: String,
    },
    /// By an operator, on the command line.
    SecondFactorReset,
}

pub struct Words {
    pub title: String,
    pub text: String,
}

impl Notice {
    /// Its type in the person's notification settings.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NewDevice { .. }
            | Self::PasswordChanged
            | Self::EmailChanged { .. }
            | Self::TotpAdded
            | Self::TotpRemoved
            | Self::RecoveryCodesRenewed
            | Self::RecoveryCodeUsed { .. }
            | Self::PasskeyAdded { .. }
            | Self::PasskeyRemoved { .. }
            | Self::SecondFactorReset => "security",
        }
    }

    /// The page of the console that has to do with it.
    pub fn link(&self) -> Option<String> {
        match self.kind() {
            "security" => Some("/account/user-info".to_owned()),
            _ => None,
        }
    }

    pub fn words(&self, locale: Locale) -> Words {
        let (title, text) = match locale {
            Locale::ZhCn => self.chinese(),
            Locale::EnUs => self.english(),
        };
        Words { title: title.to_owned(), text }
    }

    fn chinese(&self) -> (&'static str, String) {
        match self {
            Self::NewDevice { device, ip, at } => (
                "新设备登录",
                format!("你的账号在一台新设备上登录：{device}，IP 地址 {ip}，时间 {at}。"),
            ),
            Self::PasswordChanged => {
                ("密码已更改", "你的密码刚刚被更改，其他设备上的登录均已退出。".to_owned())
            }
            Self::EmailChanged { email } => {
                ("登录邮箱已更改", format!("你的登录邮箱已改为 {email}，之后请用新邮箱登录。"))
            }
            Self::TotpAdded => {
                ("两步验证已开启", "从现在起，登录时还需要输入验证器中的动态码。".to_owned())
            }
            Self::TotpRemoved => {
                ("两步验证已关闭", "登录时不再需要动态码，原有的恢复码已失效。".to_owned())
            }
            Self::RecoveryCodesRenewed => {
                ("恢复码已更新", "新的恢复码已生成，之前的恢复码全部失效。".to_owned())
            }
            Self::RecoveryCodeUsed { left } => (
                "恢复码被用于登录",
                format!("有人用一个恢复码登录了你的账号，还剩 {left} 个可用。"),
            ),
            Self::PasskeyAdded { name } => {
                ("已添加通行密钥", format!("通行密钥“{name}”可用于登录你的账号。"))
            }
            Self::PasskeyRemoved { name } => {
                ("已移除通行密钥", format!("通行密钥“{name}”不能再用于登录。"))
            }
            Self::SecondFactorReset => (
                "登录验证方式已重置",
                "系统管理员关闭了你的两步验证，并移除了全部通行密钥。请尽快重新设置。".to_owned(),
            ),
        }
    }

    fn english(&self) -> (&'static str, String) {
        match self {
            Self::NewDevice { device, ip, at } => (
                "New sign-in to your account",
                format!(
                    "Your account was signed in to from a new device: {device}, address {ip}, {at}."
                ),
            ),
            Self::PasswordChanged => (
                "Your password was changed",
                "Your password was just changed, and every other device was signed out.".to_owned(),
            ),
            Self::EmailChanged { email } => (
                "Your e-mail address was changed",
                format!("Your account now uses {email}. Sign in with that address from now on."),
            ),
            Self::TotpAdded => (
                "Two-step verification is on",
                "From now on, signing in also asks for a code from your authenticator app."
                    .to_owned(),
            ),
            Self::TotpRemoved => (
                "Two-step verification is off",
                "Signing in no longer asks for a code. The recovery codes no longer work."
                    .to_owned(),
            ),
            Self::RecoveryCodesRenewed => (
                "Your recovery codes were renewed",
                "New recovery codes were made, and none of the old ones work any more.".to_owned(),
            ),
            Self::RecoveryCodeUsed { left } => (
                "A recovery code was used",
                format!("Your account was signed in to with a recovery code. Codes left: {left}."),
            ),
            Self::PasskeyAdded { name } => (
                "A passkey was added",
                format!("The passkey “{name}” can now sign in to your account."),
            ),
            Self::PasskeyRemoved { name } => (
                "A passkey was removed",
                format!("The passkey “{name}” can no longer sign in to your account."),
            ),
            Self::SecondFactorReset => (
                "Your second factor was reset",
                "An administrator of this instance turned off two-step verification and removed \
                 your passkeys. Set them up again soon."
                    .to_owned(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_stays_readable() {
        let notice = Notice::RecoveryCodeUsed { left: 9 };
        let json = serde_json::to_string(&notice).unwrap();
        assert_eq!(json, r#"{"kind":"recovery_code_used","left":9}"#);
        assert_eq!(serde_json::from_str::<Notice>(&json).unwrap(), notice);
        let json = serde_json::to_string(&Notice::TotpAdded).unwrap();
        assert_eq!(json, r#"{"kind":"totp_added"}"#);
    }
}
