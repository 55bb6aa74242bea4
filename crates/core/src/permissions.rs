//! The registry of permissions and built-in roles: the only place that defines their codes. The checks
//! in the API, the role matrix in the console, `docs/permissions.md` and the tests all derive from it.

use crate::locale::Locale;
use crate::types::Id;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    App,
    Organization,
}

impl Scope {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::App => "app",
            Self::Organization => "organization",
        }
    }
}

/// A text in Chinese and in English.
#[derive(Clone, Copy, Debug)]
pub struct Text(&'static str, &'static str);

impl Text {
    pub fn in_locale(self, locale: Locale) -> &'static str {
        match locale {
            Locale::ZhCn => self.0,
            Locale::EnUs => self.1,
        }
    }
}

/// A permission as a type, for handler signatures.
pub trait Grant: Send + Sync + 'static {
    const PERMISSION: Permission;
}

macro_rules! permissions {
    ($($group:ident($key:literal, $scope:ident, $group_zh:literal, $group_en:literal) {
        $($name:ident = $code:literal, $zh:literal, $en:literal, $why_zh:literal, $why_en:literal;)+
    })+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Permission { $($($name),+),+ }

        impl Permission {
            pub const ALL: &[Permission] = &[$($(Permission::$name),+),+];

            /// The code stored in roles; never changes once released.
            pub fn code(self) -> &'static str {
                match self { $($(Permission::$name => $code),+),+ }
            }

            pub fn name(self) -> Text {
                match self { $($(Permission::$name => Text($zh, $en)),+),+ }
            }

            pub fn description(self) -> Text {
                match self { $($(Permission::$name => Text($why_zh, $why_en)),+),+ }
            }

            pub fn scope(self) -> Scope {
                match self { $($(Permission::$name)|+ => Scope::$scope),+ }
            }
        }

        /// Groups in display order.
        pub const GROUPS: &[Group] = &[$(Group {
            key: $key,
            scope: Scope::$scope,
            name: Text($group_zh, $group_en),
            permissions: &[$(Permission::$name),+],
        }),+];

        $($(
            pub struct $name;
            impl Grant for $name {
                const PERMISSION: Permission = Permission::$name;
            }
        )+)+
    };
}

pub struct Group {
    pub key: &'static str,
    pub scope: Scope,
    pub name: Text,
    pub permissions: &'static [Permission],
}

permissions! {
    App("app", App, "应用", "App") {
        AppView = "app:view", "查看应用", "View the app", "打开应用，查看基本信息", "Open the app and see its basic information";
        AppUpdate = "app:update", "编辑应用", "Edit the app", "修改名称、描述和时区", "Change its name, description, and time zone";
        AppArchive = "app:archive", "归档应用", "Archive the app", "归档和取消归档", "Archive and unarchive it";
        AppDelete = "app:delete", "删除应用", "Delete the app", "删除应用，30 天内可恢复", "Delete it and restore it within 30 days";
    }
    Members("members", App, "成员", "Members") {
        MemberView = "member:view", "查看成员", "View members", "查看谁能访问应用", "See who has access to the app";
        MemberManage = "member:manage", "管理成员", "Manage members", "添加、移除成员，调整角色", "Add and remove members and change their roles";
    }
    Roles("roles", App, "角色", "Roles") {
        RoleView = "role:view", "查看角色", "View roles", "查看角色及其权限", "See roles and their permissions";
        RoleManage = "role:manage", "管理角色", "Manage roles", "新建、编辑、删除自定义角色", "Create, edit, and delete custom roles";
    }
    Keys("keys", App, "密钥", "Keys") {
        KeyView = "key:view", "查看密钥", "View keys", "查看密钥列表和使用情况，不含密钥内容", "See the list of keys and their use, but not their values";
        KeyReveal = "key:reveal", "获取密钥内容", "View key values", "查看新建或重置后的密钥内容", "See the value of a new or reset key";
        KeyManage = "key:manage", "管理密钥", "Manage keys", "新建、重置、停用、删除密钥", "Create, reset, disable, and delete keys";
    }
    Data("data", App, "数据", "Data") {
        DashboardView = "dashboard:view", "查看看板", "View dashboards", "查看数据看板", "See the dashboard";
        EventView = "event:view", "查看事件", "View events", "查看事件及其属性", "See events and their properties";
        EventExport = "event:export", "导出事件", "Export events", "导出事件数据", "Export event data";
        LiveView = "live:view", "查看实时数据", "View live data", "查看实时上报的数据", "Watch data as it arrives";
        ProfileView = "profile:view", "查看用户与设备", "View users and devices", "查看用户和设备，隐去个人信息", "See users and devices, without personal data";
        ProfilePii = "profile:pii", "查看个人信息", "View personal data", "查看用户与设备中的个人信息", "See personal data of users and devices";
        QueryRun = "query:run", "自助查询", "Run queries", "在分析中自助查询", "Run queries in analyses";
        AnalysisManage = "analysis:manage", "管理共享分析", "Manage shared analyses", "为应用保存分析，编辑、删除共享的分析", "Save analyses for the app, and edit and delete shared ones";
        CohortManage = "cohort:manage", "管理共享分群", "Manage shared cohorts", "为应用新建分群，编辑、删除共享的分群", "Create cohorts for the app, and edit and delete shared ones";
    }
    Metadata("metadata", App, "元数据", "Metadata") {
        MetadataView = "metadata:view", "查看元数据", "View metadata", "查看事件和属性的说明", "See descriptions of events and properties";
        MetadataManage = "metadata:manage", "管理元数据", "Manage metadata", "编辑说明，隐藏事件", "Edit descriptions and hide events";
    }
    Audit("audit", App, "审计", "Audit") {
        AuditView = "audit:view", "查看审计日志", "View the audit log", "查看应用的审计日志", "See the app's audit log";
        AuditExport = "audit:export", "导出审计日志", "Export the audit log", "导出应用的审计日志", "Export the app's audit log";
    }
    Organization("organization", Organization, "团队", "Team") {
        OrgView = "org:view", "查看团队", "View the team", "查看团队信息", "See the team's information";
        OrgMemberView = "org_member:view", "查看团队成员", "View team members", "查看团队成员", "See the team's members";
        OrgUpdate = "org:update", "编辑团队", "Edit the team", "修改名称、时区和数据保留期", "Change its name, time zone, and data retention";
        OrgMemberManage = "org_member:manage", "管理团队成员", "Manage team members", "邀请、移除成员，调整角色", "Invite and remove members and change their roles";
        OrgAppCreate = "org_app:create", "新建应用", "Create apps", "在团队中新建应用", "Create apps in the team";
        OrgAuditView = "org_audit:view", "查看团队审计日志", "View the team's audit log", "查看和导出团队的审计日志", "See and export the team's audit log";
        OrgDelete = "org:delete", "删除团队", "Delete the team", "删除没有应用的团队", "Delete the team once it has no apps";
        OrgTransfer = "org:transfer", "转让团队", "Transfer the team", "把所有权转让给其他成员", "Transfer ownership to another member";
        OrgSsoManage = "org_sso:manage", "管理单点登录", "Manage single sign-on", "配置单点登录", "Configure single sign-on";
        OrgSecurityManage = "org_security:manage", "管理安全要求", "Manage security requirements", "要求成员开启两步验证", "Require members to use two-step verification";
    }
}

crate::code_schema!(Permission, "Permission", Permission::ALL.iter().map(|it| it.code()));
crate::code_schema!(Scope, "PermissionScope", [Scope::App, Scope::Organization].map(Scope::as_str));

impl Permission {
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|permission| permission.code() == code)
    }
}

/// Every permission within an app.
pub fn app_permissions() -> Vec<Permission> {
    Permission::ALL.iter().copied().filter(|it| it.scope() == Scope::App).collect()
}

/// What an app's query key allows: reading, but never personal data.
pub const QUERY_KEY: [Permission; 7] = [
    Permission::DashboardView,
    Permission::EventView,
    Permission::EventExport,
    Permission::LiveView,
    Permission::ProfileView,
    Permission::QueryRun,
    Permission::MetadataView,
];

/// A role that every app has and nobody can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinRole {
    Admin,
    Developer,
    Analyst,
    Viewer,
}

impl BuiltinRole {
    pub const ALL: [BuiltinRole; 4] = [Self::Admin, Self::Developer, Self::Analyst, Self::Viewer];

    pub fn key(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Developer => "developer",
            Self::Analyst => "analyst",
            Self::Viewer => "viewer",
        }
    }

    /// The same in every app.
    pub fn id(self) -> Id {
        let last = match self {
            Self::Admin => 1,
            Self::Developer => 2,
            Self::Analyst => 3,
            Self::Viewer => 4,
        };
        Id::fixed(last)
    }

    pub fn by_id(id: &Id) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.id() == *id)
    }

    pub fn name(self) -> Text {
        match self {
            Self::Admin => Text("管理员", "Admin"),
            Self::Developer => Text("开发者", "Developer"),
            Self::Analyst => Text("分析师", "Analyst"),
            Self::Viewer => Text("查看者", "Viewer"),
        }
    }

    pub fn description(self) -> Text {
        match self {
            Self::Admin => Text("拥有应用的全部权限", "Full access to the app"),
            Self::Developer => Text(
                "接入数据：密钥、实时数据和元数据",
                "Integration: keys, live data, and metadata",
            ),
            Self::Analyst => {
                Text("分析数据：看板、事件和导出", "Analysis: dashboards, events, and exports")
            }
            Self::Viewer => Text("只查看看板", "Dashboards only"),
        }
    }

    pub fn permissions(self) -> Vec<Permission> {
        use Permission as P;
        match self {
            Self::Admin => app_permissions(),
            Self::Developer => vec![
                P::AppView,
                P::MemberView,
                P::RoleView,
                P::KeyView,
                P::KeyReveal,
                P::KeyManage,
                P::DashboardView,
                P::EventView,
                P::LiveView,
                P::ProfileView,
                P::QueryRun,
                P::AnalysisManage,
                P::CohortManage,
                P::MetadataView,
                P::MetadataManage,
            ],
            Self::Analyst => vec![
                P::AppView,
                P::MemberView,
                P::DashboardView,
                P::EventView,
                P::EventExport,
                P::LiveView,
                P::ProfileView,
                P::QueryRun,
                P::AnalysisManage,
                P::CohortManage,
                P::MetadataView,
            ],
            Self::Viewer => vec![P::AppView, P::DashboardView],
        }
    }
}

/// A member's role in an organization. Owners and admins hold every permission in its apps.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum OrgRole {
    Member,
    Admin,
    Owner,
}

impl OrgRole {
    pub const ALL: [OrgRole; 3] = [Self::Owner, Self::Admin, Self::Member];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Member => "member",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }

    pub fn name(self) -> Text {
        match self {
            Self::Owner => Text("所有者", "Owner"),
            Self::Admin => Text("管理员", "Admin"),
            Self::Member => Text("成员", "Member"),
        }
    }

    /// Whether the role holds every permission in all of the organization's apps.
    pub fn runs_apps(self) -> bool {
        self >= Self::Admin
    }

    /// Owners can also sign in without the organization's provider; otherwise a broken provider would
    /// lock everyone out.
    pub fn is_exempt_from_sso(self) -> bool {
        self == Self::Owner
    }

    /// Whether the role requires a second factor once the grace period is over.
    pub fn needs_second_factor(self) -> bool {
        self == Self::Owner
    }

    pub fn permissions(self) -> Vec<Permission> {
        use Permission as P;
        let mut held = vec![P::OrgView, P::OrgMemberView];
        if self >= Self::Admin {
            held.extend([P::OrgUpdate, P::OrgMemberManage, P::OrgAppCreate, P::OrgAuditView]);
        }
        if self == Self::Owner {
            held.extend([P::OrgDelete, P::OrgTransfer, P::OrgSsoManage, P::OrgSecurityManage]);
        }
        held
    }
}

/// The text of `docs/permissions.md`: who may do what.
pub fn page() -> String {
    let mut text = String::from(
        "# Who may do what\n\nGenerated from `crates/core/src/permissions.rs` by `make generate`; \
         `make test` fails if it is out of date.\n\nOwners and admins of a team hold every \
         permission in all of its apps. Nobody can grant permissions they do not hold, and a \
         team always keeps an owner.\n",
    );
    let roles = BuiltinRole::ALL.iter().map(|role| (role.key(), role.permissions()));
    let apps: Vec<(&str, Vec<Permission>)> =
        roles.chain([("query key", QUERY_KEY.to_vec())]).collect();
    let orgs: Vec<(&str, Vec<Permission>)> =
        OrgRole::ALL.iter().map(|role| (role.as_str(), role.permissions())).collect();
    for (title, scope, roles) in
        [("In an app", Scope::App, apps), ("In a team", Scope::Organization, orgs)]
    {
        let names: Vec<&str> = roles.iter().map(|(name, _)| *name).collect();
        text.push_str(&format!(
            "\n## {title}\n\n| Permission | What it allows | {} |\n|---|---|{}\n",
            names.join(" | "),
            ":-:|".repeat(names.len())
        ));
        for group in GROUPS.iter().filter(|group| group.scope == scope) {
            for permission in group.permissions {
                let marks: Vec<&str> = roles
                    .iter()
                    .map(|(_, held)| if held.contains(permission) { "✓" } else { "" })
                    .collect();
                text.push_str(&format!(
                    "| `{}` | {} | {} |\n",
                    permission.code(),
                    permission.description().in_locale(Locale::EnUs),
                    marks.join(" | ")
                ));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_found_again() {
        let codes: HashSet<_> = Permission::ALL.iter().map(|it| it.code()).collect();
        assert_eq!(codes.len(), Permission::ALL.len());
        for permission in Permission::ALL {
            assert_eq!(Permission::parse(permission.code()), Some(*permission));
        }
        let grouped: usize = GROUPS.iter().map(|group| group.permissions.len()).sum();
        assert_eq!(grouped, Permission::ALL.len());
    }

    #[test]
    fn every_role_can_see_what_it_is_for() {
        for role in BuiltinRole::ALL {
            assert!(role.permissions().contains(&Permission::AppView), "{role:?}");
            assert_eq!(BuiltinRole::by_id(&role.id()), Some(role));
        }
        for role in OrgRole::ALL {
            assert!(role.permissions().contains(&Permission::OrgView), "{role:?}");
        }
    }
}
