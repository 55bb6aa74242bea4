//! The texts of notices, in both languages.

use super::Notice;
use crate::config::cardinality::Limit;
use crate::locale::Locale;

impl Notice {
    pub(super) fn chinese(&self) -> (&'static str, String) {
        match self {
            Self::NewDevice { device, ip, at } => (
                "新设备登录",
                format!("你的账号在一台新设备上登录：{device}，IP 地址 {ip}，时间 {at}。"),
            ),
            Self::PasswordChanged => {
                ("密码已更改", "你的密码刚刚被更改，其他设备上的登录均已退出。".to_owned())
            }
            Self::EmailChangeAsked { email } => (
                "有人申请更改登录邮箱",
                format!(
                    "你的账号正在申请把登录邮箱改为 {email}，在新邮箱中确认后生效。如果不是你本人操作，请更改密码，申请随即作废。"
                ),
            ),
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
                "服务器管理员关闭了你的两步验证，并移除了全部通行密钥。请尽快重新设置。".to_owned(),
            ),
            Self::SessionsEnded { count } => (
                "你已被退出登录",
                format!("服务器管理员结束了你的 {count} 处登录。如果你的账号可能被他人使用，请更改密码。"),
            ),
            Self::OrgSessionsEnded { org } => (
                "需要重新验证身份",
                format!("团队“{org}”的管理员结束了你在该团队中的登录状态。再次访问该团队时，需要先验证身份；其他团队不受影响。如果你的账号可能被他人使用，请更改密码。"),
            ),
            Self::SsoLinked { org, email } => (
                "已关联单点登录",
                format!("从现在起，可以用 {email} 通过团队“{org}”的单点登录进入你的账号。如果不是你本人操作，请更改密码并联系团队所有者。"),
            ),
            Self::ChatBound { provider, name } => {
                let provider = provider.name(Locale::ZhCn);
                (
                    "已绑定第三方账号",
                    format!("{provider}账号“{name}”已与你的账号绑定，可用于登录。"),
                )
            }
            Self::ChatUnbound { provider, name } => {
                let provider = provider.name(Locale::ZhCn);
                (
                    "已解除第三方账号绑定",
                    format!("{provider}账号“{name}”已与你的账号解除绑定，不能再用于登录。"),
                )
            }
            Self::Invited { org, by } => {
                ("你收到一份团队邀请", format!("{by} 邀请你加入团队“{org}”。"))
            }
            Self::AccessAsked { org, name, email, message, .. } => {
                ("有人申请加入团队", format!("{name}（{email}）申请加入团队“{org}”。{message}"))
            }
            Self::OrgRoleChanged { org, role, .. } => (
                "你的团队角色已调整",
                format!("你在团队“{org}”中的角色现在是{}。", role.name().in_locale(Locale::ZhCn)),
            ),
            Self::RemovedFromOrg { org } => {
                ("你已被移出团队", format!("你不再是团队“{org}”的成员，也不能再访问它的应用。"))
            }
            Self::AppRoleChanged { app, role_zh, .. } => {
                ("你的应用角色已调整", format!("你在应用“{app}”中的角色现在是{role_zh}。"))
            }
            Self::RemovedFromApp { app } => {
                ("你已被移出应用", format!("你不再是应用“{app}”的成员。"))
            }
            Self::AppMoved { app, by, action, .. } => match action.as_str() {
                "app.archive" => (
                    "应用已归档",
                    format!("{by} 归档了应用“{app}”，它不再接收数据，内容仍可查看。"),
                ),
                "app.unarchive" => (
                    "应用已取消归档",
                    format!("{by} 取消了应用“{app}”的归档，它重新开始接收数据。"),
                ),
                "app.delete" => {
                    ("应用已删除", format!("{by} 删除了应用“{app}”，30 天内可以恢复。"))
                }
                _ => ("应用已恢复", format!("{by} 恢复了应用“{app}”。")),
            },
            Self::RejectionsSpike { app, count, .. } => (
                "大量数据被拒收",
                format!("应用“{app}”刚刚有 {count} 条数据被拒收，请查看拒收原因并检查上报代码。"),
            ),
            Self::LimitReached { app, limit: Limit::EventNames, max, .. } => (
                "事件名称数量超过上限",
                format!(
                    "应用“{app}”今天上报的事件名称超过 {max} 种。数据都已保存，超出的名称合并计入“其他”。请检查事件名称里是否带有编号等变化的内容，或者上报密钥是否被他人使用。"
                ),
            ),
            Self::LimitReached { app, limit: Limit::PropertyNames, max, .. } => (
                "属性名称数量超过上限",
                format!(
                    "应用“{app}”今天上报的属性名称超过 {max} 种。数据都已保存，超出的属性不会出现在属性列表中。请检查属性名称里是否带有编号等变化的内容，或者上报密钥是否被他人使用。"
                ),
            ),
            Self::LimitReached { app, limit: Limit::FieldValues, max, .. } => (
                "内置字段的取值超过上限",
                format!(
                    "应用“{app}”今天上报的操作系统、浏览器、设备类型或语言超过 {max} 种。数据都已保存，超出的取值合并计入“其他”。请检查上报代码，或者上报密钥是否被他人使用。"
                ),
            ),
            Self::LimitReached { app, limit: Limit::Pages, max, .. } => (
                "页面或来源网站数量超过上限",
                format!(
                    "应用“{app}”今天上报的页面或来源网站超过 {max} 个。数据都已保存，超出的部分合并计入“其他”。请检查页面路径里是否带有编号等变化的内容，或者上报密钥是否被他人使用。"
                ),
            ),
            Self::AppSilent { app, .. } => (
                "应用停止上报数据",
                format!("应用“{app}”已连续两天没有数据，之前一直有。请检查上报代码和密钥。"),
            ),
            Self::SpoolFilling { .. } => (
                "待写入的数据即将达到上限",
                "事件存储长时间不可用，排队等待写入的数据已超过上限的 80%。到达上限后，新数据会被拒收。请联系服务器管理员。".to_owned(),
            ),
            Self::KeyExpiring { app, key_id, name, at, .. } => (
                "访问密钥即将到期",
                format!(
                    "应用“{app}”的访问密钥“{name}”（{key_id}）将于 {at} 到期，之后用它签名的请求会被拒绝。请提前更换，或延长有效期。"
                ),
            ),
            Self::KeyExpired { app, key_id, name, at, .. } => (
                "访问密钥已到期",
                format!(
                    "应用“{app}”的访问密钥“{name}”（{key_id}）已于 {at} 到期，用它签名的请求现在会被拒绝。"
                ),
            ),
        }
    }

    pub(super) fn english(&self) -> (&'static str, String) {
        match self {
            Self::NewDevice { device, ip, at } => (
                "New sign-in to your account",
                format!(
                    "Someone signed in to your account from a new device: {device}, IP address \
                     {ip}, {at}."
                ),
            ),
            Self::PasswordChanged => (
                "Your password was changed",
                "Your password was just changed, and every other device was signed out.".to_owned(),
            ),
            Self::EmailChangeAsked { email } => (
                "A change of your email address was requested",
                format!(
                    "A change of your email address to {email} was requested. It takes effect \
                     once confirmed from that address. If this wasn't you, change your password, \
                     which cancels the request."
                ),
            ),
            Self::EmailChanged { email } => (
                "Your email address was changed",
                format!("Your email address is now {email}. Use it to sign in from now on."),
            ),
            Self::TotpAdded => (
                "Two-step verification is on",
                "From now on, signing in also requires a code from your authenticator app."
                    .to_owned(),
            ),
            Self::TotpRemoved => (
                "Two-step verification is off",
                "Signing in no longer requires a code, and your recovery codes no longer work."
                    .to_owned(),
            ),
            Self::RecoveryCodesRenewed => (
                "Your recovery codes were renewed",
                "New recovery codes were generated, and the old ones no longer work.".to_owned(),
            ),
            Self::RecoveryCodeUsed { left } => (
                "A recovery code was used",
                format!(
                    "Someone signed in to your account with a recovery code. Codes left: {left}."
                ),
            ),
            Self::PasskeyAdded { name } => (
                "A passkey was added",
                format!("The passkey “{name}” can now be used to sign in to your account."),
            ),
            Self::PasskeyRemoved { name } => (
                "A passkey was removed",
                format!("The passkey “{name}” can no longer be used to sign in to your account."),
            ),
            Self::SecondFactorReset => (
                "Your second factor was reset",
                "An operator of this instance turned off two-step verification and removed all \
                 your passkeys. Please set them up again soon."
                    .to_owned(),
            ),
            Self::SessionsEnded { count } => (
                "You were signed out",
                format!(
                    "An operator of this instance ended some of your sessions ({count}). If \
                     someone else may have used your account, change your password."
                ),
            ),
            Self::OrgSessionsEnded { org } => (
                "Identity confirmation required",
                format!(
                    "An owner or admin of the team “{org}” ended your sessions in the team. \
                     Before you can use the team again, you must confirm your identity. Your \
                     other teams are not affected. If someone else may have used your account, \
                     change your password."
                ),
            ),
            Self::SsoLinked { org, email } => (
                "Single sign-on was linked to your account",
                format!(
                    "From now on, {email} can sign in to your account through the single sign-on \
                     of the team “{org}”. If this wasn't you, change your password and contact an \
                     owner of the team."
                ),
            ),
            Self::ChatBound { provider, name } => {
                let provider = provider.name(Locale::EnUs);
                (
                    "An external account was linked",
                    format!(
                        "The {provider} account “{name}” can now be used to sign in to your account."
                    ),
                )
            }
            Self::ChatUnbound { provider, name } => {
                let provider = provider.name(Locale::EnUs);
                (
                    "An external account was unlinked",
                    format!(
                        "The {provider} account “{name}” can no longer be used to sign in to your \
                         account."
                    ),
                )
            }
            Self::Invited { org, by } => (
                "You have been invited to a team",
                format!("{by} has invited you to join the team “{org}”."),
            ),
            Self::AccessAsked { org, name, email, message, .. } => (
                "Someone has asked to join your team",
                format!("{name} ({email}) has asked to join the team “{org}”. {message}"),
            ),
            Self::OrgRoleChanged { org, role, .. } => (
                "Your role in a team has changed",
                format!(
                    "Your role in the team “{org}” is now {}.",
                    role.name().in_locale(Locale::EnUs)
                ),
            ),
            Self::RemovedFromOrg { org } => (
                "You were removed from a team",
                format!(
                    "You are no longer a member of the team “{org}” and can no longer access its apps."
                ),
            ),
            Self::AppRoleChanged { app, role_en, .. } => (
                "Your role in an app has changed",
                format!("Your role in the app “{app}” is now {role_en}."),
            ),
            Self::RemovedFromApp { app } => (
                "You were removed from an app",
                format!("You are no longer a member of the app “{app}”."),
            ),
            Self::AppMoved { app, by, action, .. } => match action.as_str() {
                "app.archive" => (
                    "An app was archived",
                    format!(
                        "{by} archived the app “{app}”. It no longer accepts data, but stays viewable."
                    ),
                ),
                "app.unarchive" => (
                    "An app was unarchived",
                    format!("{by} unarchived the app “{app}”. It accepts data again."),
                ),
                "app.delete" => (
                    "An app was deleted",
                    format!("{by} deleted the app “{app}”. It can be restored for 30 days."),
                ),
                _ => ("An app was restored", format!("{by} restored the app “{app}”.")),
            },
            Self::RejectionsSpike { app, count, .. } => (
                "Many of an app's messages were rejected",
                format!(
                    "{count} messages of the app “{app}” were just rejected. Check the reasons \
                     and the code that sends them."
                ),
            ),
            Self::LimitReached { app, limit: Limit::EventNames, max, .. } => (
                "An app sends too many event names",
                format!(
                    "The app “{app}” has sent more than {max} event names today. Everything is \
                     stored; the names beyond the limit count together as “Other”. Check whether \
                     names contain ids or other changing parts, or whether someone else uses the \
                     app's key."
                ),
            ),
            Self::LimitReached { app, limit: Limit::PropertyNames, max, .. } => (
                "An app sends too many property names",
                format!(
                    "The app “{app}” has sent more than {max} property names today. Everything is \
                     stored; the names beyond the limit are not listed. Check whether names \
                     contain ids or other changing parts, or whether someone else uses the app's key."
                ),
            ),
            Self::LimitReached { app, limit: Limit::FieldValues, max, .. } => (
                "An app sends too many values of a built-in field",
                format!(
                    "The app “{app}” has sent more than {max} operating systems, browsers, device \
                     types, or languages today. Everything is stored; the values beyond the limit \
                     count together as “Other”. Check the code that sends them, or whether \
                     someone else uses the app's key."
                ),
            ),
            Self::LimitReached { app, limit: Limit::Pages, max, .. } => (
                "An app sends too many pages or referring sites",
                format!(
                    "The app “{app}” has sent more than {max} pages or referring sites today. \
                     Everything is stored; those beyond the limit count together as “Other”. \
                     Check whether paths contain ids or other changing parts, or whether someone \
                     else uses the app's key."
                ),
            ),
            Self::AppSilent { app, .. } => (
                "An app has stopped sending data",
                format!(
                    "The app “{app}” has sent no data for two days, although it did before. Check \
                     the code that sends it, and the key."
                ),
            ),
            Self::SpoolFilling { .. } => (
                "Data waiting to be stored is close to its limit",
                "The event store has been unavailable for a long time, and the data waiting for \
                 it has passed 80% of the limit. Once the limit is reached, new data is rejected. \
                 Contact an operator of this instance."
                    .to_owned(),
            ),
            Self::KeyExpiring { app, key_id, name, at, .. } => (
                "An access key is about to expire",
                format!(
                    "The access key “{name}” ({key_id}) of the app “{app}” expires at {at}. After \
                     that, requests signed with it are rejected. Replace it in time, or extend \
                     its expiry."
                ),
            ),
            Self::KeyExpired { app, key_id, name, at, .. } => (
                "An access key has expired",
                format!(
                    "The access key “{name}” ({key_id}) of the app “{app}” expired at {at}. \
                     Requests signed with it are now rejected."
                ),
            ),
        }
    }
}
