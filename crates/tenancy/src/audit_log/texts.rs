//! The texts for actions, in both languages. A test compares this table with the actions that the code
//! records.

use atrium_core::locale::Locale;

/// Action, Chinese, English.
const ACTIONS: &[(&str, &str, &str)] = &[
    ("access.refused", "访问被拒绝", "Access refused"),
    ("account.chat_bind", "绑定第三方账号", "External account linked"),
    ("account.chat_refused", "第三方账号未通过", "External account refused"),
    ("account.chat_unbind", "解除第三方账号绑定", "External account unlinked"),
    ("account.create", "创建账号", "Account created"),
    ("account.delete", "删除账号", "Account deleted"),
    ("account.disable", "停用账号", "Account disabled"),
    ("account.email_change", "更改邮箱", "Email changed"),
    ("account.email_change_ask", "申请更改邮箱", "Email change requested"),
    ("account.enable", "启用账号", "Account enabled"),
    ("account.export", "下载个人数据", "Personal data downloaded"),
    ("account.notification_types", "更改通知设置", "Notification settings changed"),
    ("account.link_copy", "复制待用链接", "Pending link copied"),
    ("account.operator_add", "设为服务器管理员", "Operator added"),
    ("account.operator_remove", "取消服务器管理员", "Operator removed"),
    ("account.passkey_add", "添加通行密钥", "Passkey added"),
    ("account.passkey_remove", "移除通行密钥", "Passkey removed"),
    ("account.passkey_rename", "重命名通行密钥", "Passkey renamed"),
    ("account.password_change", "更改密码", "Password changed"),
    ("account.password_reset", "重置密码", "Password reset"),
    ("account.profile", "更改个人资料", "Profile changed"),
    ("account.reauth", "再次验证身份", "Identity confirmed again"),
    ("account.reauth_failed", "身份验证失败", "Identity not confirmed"),
    ("account.recovery_codes", "更新恢复码", "Recovery codes renewed"),
    ("account.second_factor_reset", "重置登录验证方式", "Second factor reset"),
    ("account.session_end", "退出一处登录", "Session ended"),
    ("account.session_end_others", "退出其他登录", "Other sessions ended"),
    ("account.sessions_ended", "管理员退出用户登录", "Sessions ended by an operator"),
    ("account.session_list", "查看登录设备", "Sessions viewed"),
    ("account.sign_in", "登录", "Signed in"),
    ("account.sign_in_failed", "登录失败", "Sign-in failed"),
    ("account.sign_in_link", "生成登录链接", "Sign-in link created"),
    ("account.sign_out", "退出登录", "Signed out"),
    ("account.totp_add", "开启两步验证", "Two-step verification turned on"),
    ("account.totp_remove", "关闭两步验证", "Two-step verification turned off"),
    ("analysis.create", "保存分析", "Analysis saved"),
    ("analysis.delete", "删除分析", "Analysis deleted"),
    ("analysis.update", "编辑分析", "Analysis edited"),
    ("api_key.drop_previous", "停用旧的 API 密钥", "Previous API key revoked"),
    ("api_key.reset", "重置 API 密钥", "API key reset"),
    ("app.archive", "归档应用", "App archived"),
    ("app.create", "创建应用", "App created"),
    ("app.delete", "删除应用", "App deleted"),
    ("app.purge", "彻底清除应用", "App purged"),
    ("app.restore", "恢复应用", "App restored"),
    ("app.unarchive", "取消归档应用", "App unarchived"),
    ("app.update", "编辑应用", "App edited"),
    ("app_member.add", "添加应用成员", "App member added"),
    ("app_member.remove", "移除应用成员", "App member removed"),
    ("app_member.role", "调整应用成员角色", "App member's role changed"),
    ("audit.export", "导出审计日志", "Audit log exported"),
    ("cohort.create", "创建分群", "Cohort created"),
    ("cohort.delete", "删除分群", "Cohort deleted"),
    ("cohort.update", "编辑分群", "Cohort edited"),
    ("data.erase", "擦除用户数据", "End user's data erased"),
    ("data.erase_ask", "申请擦除用户数据", "Erasure of an end user's data requested"),
    ("data.exported", "导出数据", "Data exported"),
    ("error.delete", "删除错误记录", "Errors deleted"),
    ("error.replay", "下载错误回放", "Error recording downloaded"),
    ("event.described", "编辑事件说明", "Event description edited"),
    ("instance.backup", "创建备份", "Backup created"),
    ("instance.key_rotate", "开始轮换主密钥", "Master key rotation started"),
    ("instance.key_rotated", "主密钥轮换完成", "Master key rotated"),
    (
        "instance.move",
        "迁移到 PostgreSQL 和 ClickHouse",
        "Instance moved to PostgreSQL and ClickHouse",
    ),
    ("invitation.create", "邀请成员", "Invitation sent"),
    ("invitation.decline", "拒绝邀请", "Invitation declined"),
    ("invitation.link", "复制邀请链接", "Invitation link copied"),
    ("invitation.resend", "重新发送邀请", "Invitation resent"),
    ("invitation.revoke", "撤回邀请", "Invitation revoked"),
    ("key.create", "创建访问密钥", "Access key created"),
    ("key.delete", "删除访问密钥", "Access key deleted"),
    ("key.disable", "停用访问密钥", "Access key disabled"),
    ("key.enable", "启用访问密钥", "Access key enabled"),
    ("key.reveal", "获取密钥内容", "Key value revealed"),
    ("key.update", "编辑访问密钥", "Access key edited"),
    ("org.access_ask", "申请加入团队", "Requested to join"),
    ("org.create", "创建团队", "Team created"),
    ("org.delete", "删除团队", "Team deleted"),
    ("org.transfer", "转让团队", "Ownership transferred"),
    ("org.update", "编辑团队", "Team edited"),
    ("org_member.join", "加入团队", "Joined the team"),
    ("org_member.leave", "退出团队", "Left the team"),
    ("org_member.end_sessions", "结束成员登录状态", "Member's sessions ended"),
    ("org_member.remove", "移除团队成员", "Member removed"),
    ("org_member.role", "调整团队成员角色", "Member's role changed"),
    ("property.described", "编辑属性说明", "Property description edited"),
    ("role.create", "创建角色", "Role created"),
    ("role.delete", "删除角色", "Role deleted"),
    ("role.update", "编辑角色", "Role edited"),
    ("sso.domain_add", "添加邮箱域名", "Email domain added"),
    ("sso.domain_remove", "移除邮箱域名", "Email domain removed"),
    ("sso.domain_verify", "验证邮箱域名", "Email domain verified"),
    ("sso.link", "关联单点登录身份", "Single sign-on identity linked"),
    ("sso.refused", "单点登录被拒绝", "Single sign-on refused"),
    ("sso.remove", "移除单点登录", "Single sign-on removed"),
    ("sso.update", "更改单点登录设置", "Single sign-on settings changed"),
];

/// The text for an action; an action of another version is shown by its own name.
pub fn name(action: &str, locale: Locale) -> String {
    match ACTIONS.iter().find(|(known, _, _)| *known == action) {
        Some((_, zh, en)) => match locale {
            Locale::ZhCn => (*zh).to_owned(),
            Locale::EnUs => (*en).to_owned(),
        },
        None => action.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn sources(folder: &Path, text: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, text);
            } else if path.extension().is_some_and(|kind| kind == "rs")
                && !path.ends_with("audit_log/texts.rs")
            {
                text.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }

    #[test]
    fn the_table_names_exactly_the_actions_the_code_records() {
        let mut text = String::new();
        for layer in ["core", "tenancy", "collect", "insight", "atrium"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(layer).join("src");
            sources(&folder, &mut text);
        }
        for (action, _, _) in ACTIONS {
            assert!(text.contains(&format!("\"{action}\"")), "nothing records {action}");
        }
        let starts = [
            "access.",
            "account.",
            "analysis.",
            "api_key.",
            "app.",
            "app_member.",
            "audit.",
            "cohort.",
            "error.",
            "event.",
            "invitation.",
            "key.",
            "org.",
            "org_member.",
            "property.",
            "role.",
            "sso.",
        ];
        let words: Vec<&str> = text.split('"').collect();
        for word in words {
            let is_action = starts.iter().any(|start| {
                word.strip_prefix(start).is_some_and(|rest| {
                    !rest.is_empty() && rest.chars().all(|c| c.is_ascii_lowercase() || c == '_')
                })
            });
            if is_action {
                assert!(ACTIONS.iter().any(|(known, _, _)| *known == word), "{word} has no words");
            }
        }
    }
}
