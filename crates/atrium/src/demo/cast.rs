//! The people of the two teams, their roles, and the custom roles of the teams.

use atrium_core::locale::Locale;
use atrium_core::permissions::{BuiltinRole, Permission};
use atrium_tenancy::orgs::OrgRole;

pub struct TeamPart {
    pub name: &'static str,
    pub zone: &'static str,
}

pub const TEAMS: [TeamPart; super::stories::TEAMS] = [
    TeamPart { name: "云杉科技", zone: "Asia/Shanghai" },
    TeamPart { name: "Harbor & Pine", zone: "Europe/Berlin" },
];

pub struct RolePart {
    /// The app, by its index among the stories.
    pub app: usize,
    pub name: &'static str,
    pub description: &'static str,
    pub permissions: &'static [Permission],
}

pub const ROLES: [RolePart; 2] = [
    RolePart {
        app: 0,
        name: "客服主管",
        description: "处理客诉：可查看用户的个人信息",
        permissions: &[
            Permission::AppView,
            Permission::DashboardView,
            Permission::EventView,
            Permission::ProfileView,
            Permission::ProfilePii,
        ],
    },
    RolePart {
        app: 3,
        name: "Growth",
        description: "Campaigns: explores and exports, sees no personal data",
        permissions: &[
            Permission::AppView,
            Permission::DashboardView,
            Permission::EventView,
            Permission::EventExport,
            Permission::LiveView,
            Permission::QueryRun,
            Permission::MetadataView,
        ],
    },
];

/// A person's role in an app.
#[derive(Clone, Copy)]
pub enum AppPart {
    Builtin(BuiltinRole),
    /// One of `ROLES`, by its index.
    Custom(usize),
}

pub struct PersonPart {
    pub address: &'static str,
    pub name: &'static str,
    pub locale: Locale,
    pub zone: &'static str,
    pub teams: &'static [(usize, OrgRole)],
    /// Apps by their index among the stories.
    pub apps: &'static [(usize, AppPart)],
}

const DEVELOPER: AppPart = AppPart::Builtin(BuiltinRole::Developer);
const ANALYST: AppPart = AppPart::Builtin(BuiltinRole::Analyst);
const VIEWER: AppPart = AppPart::Builtin(BuiltinRole::Viewer);
const APP_ADMIN: AppPart = AppPart::Builtin(BuiltinRole::Admin);

const fn chinese(
    address: &'static str,
    name: &'static str,
    teams: &'static [(usize, OrgRole)],
    apps: &'static [(usize, AppPart)],
) -> PersonPart {
    PersonPart { address, name, locale: Locale::ZhCn, zone: "Asia/Shanghai", teams, apps }
}

const fn english(
    address: &'static str,
    name: &'static str,
    teams: &'static [(usize, OrgRole)],
    apps: &'static [(usize, AppPart)],
) -> PersonPart {
    PersonPart { address, name, locale: Locale::EnUs, zone: "Europe/Berlin", teams, apps }
}

/// The first owns both teams.
pub const PEOPLE: [PersonPart; 10] = [
    chinese("lin.yue", "林悦", &[(0, OrgRole::Owner), (1, OrgRole::Owner)], &[]),
    chinese("chen.hao", "陈浩", &[(0, OrgRole::Admin)], &[]),
    chinese("wang.min", "王敏", &[(0, OrgRole::Member)], &[(0, DEVELOPER), (1, APP_ADMIN)]),
    chinese(
        "zhao.yu",
        "赵宇",
        &[(0, OrgRole::Member)],
        &[(0, ANALYST), (1, ANALYST), (2, ANALYST)],
    ),
    chinese("sun.qian", "孙倩", &[(0, OrgRole::Member)], &[(0, AppPart::Custom(0)), (2, VIEWER)]),
    chinese("zhou.kai", "周凯", &[(0, OrgRole::Member)], &[(0, VIEWER)]),
    english("anna.weber", "Anna Weber", &[(1, OrgRole::Admin)], &[]),
    english(
        "jonas.keller",
        "Jonas Keller",
        &[(1, OrgRole::Member)],
        &[(3, DEVELOPER), (4, DEVELOPER)],
    ),
    english(
        "maya.fischer",
        "Maya Fischer",
        &[(1, OrgRole::Member)],
        &[(3, AppPart::Custom(1)), (4, ANALYST), (5, ANALYST)],
    ),
    english("tom.becker", "Tom Becker", &[(1, OrgRole::Member)], &[(3, VIEWER), (5, VIEWER)]),
];

/// The address of someone in the n-th demo of an instance.
pub fn address(person: &PersonPart, demo: u32) -> String {
    match demo {
        1 => format!("{}@example.com", person.address),
        _ => format!("{}.{demo}@example.com", person.address),
    }
}

/// The name of a team in the n-th demo of an instance.
pub fn team_name(team: &TeamPart, demo: u32) -> String {
    match demo {
        1 => team.name.to_owned(),
        _ => format!("{} {demo}", team.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::stories::STORIES;

    #[test]
    fn everyone_is_where_they_can_be() {
        for person in &PEOPLE {
            for (app, part) in person.apps {
                let team = STORIES[*app].team;
                let member =
                    person.teams.iter().any(|(of, role)| *of == team && *role == OrgRole::Member);
                assert!(member, "{} is no plain member of the team of app {app}", person.name);
                if let AppPart::Custom(role) = part {
                    assert_eq!(ROLES[*role].app, *app, "{}", person.name);
                }
            }
        }
        for role in &ROLES {
            assert!(role.permissions.contains(&Permission::AppView), "{}", role.name);
        }
    }
}
