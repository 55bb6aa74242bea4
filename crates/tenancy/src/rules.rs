//! The access rules in the form that SQL needs, each generated from the one in `permissions.rs`. No
//! other SQL names a role or checks what someone may do; a test below searches the sources for that.

use atrium_core::permissions::{BuiltinRole, OrgRole, Permission};

/// Owners first.
pub const ORG_ROLE_ORDER: &str = "CASE role WHEN 'owner' THEN 0 WHEN 'admin' THEN 1 ELSE 2 END";

/// Those who run the organization first, then by the role in the app: ids of built-in roles begin with
/// zeros and increase as the roles get weaker.
pub const APP_ROLE_ORDER: &str = "CASE reaching.org_role WHEN 'owner' THEN '0'
        WHEN 'admin' THEN '00' ELSE reaching.role_id END";

/// Since when members must sign in through the organization's provider.
pub const REQUIRE_SSO_AT: &str = "(SELECT org_sso.enforced_at FROM org_sso
        WHERE org_sso.org_id = organizations.id AND org_sso.enabled_at IS NOT NULL)";

const CAME_THROUGH_PROVIDER: &str = "EXISTS (SELECT 1 FROM session_orgs
        WHERE session_orgs.session_id = $3 AND session_orgs.org_id = organizations.id)";

/// A custom role's permissions, as codes separated by spaces.
pub const ROLE_PERMISSIONS: &str = "(SELECT string_agg(role_permissions.permission, ' ')
        FROM role_permissions WHERE role_permissions.role_id = app_roles.id)";

/// Parses `ROLE_PERMISSIONS` into the registry's order. Codes that another version wrote and this one
/// does not know grant nothing.
pub fn parse_permissions(codes: Option<&str>) -> Vec<Permission> {
    let codes = codes.unwrap_or_default().split(' ');
    let mut permissions: Vec<Permission> = codes.filter_map(Permission::parse).collect();
    permissions.sort_unstable();
    permissions
}

/// The condition that a member, whose role is in the column, runs the organization and all of its apps.
pub fn runs_org(column: &str) -> String {
    has_role(column, OrgRole::runs_apps)
}

pub fn is_plain_member(column: &str) -> String {
    has_role(column, |role| !role.runs_apps())
}

pub fn is_owner(column: &str) -> String {
    has_role(column, |role| role == OrgRole::Owner)
}

pub fn is_exempt_from_sso(column: &str) -> String {
    has_role(column, OrgRole::is_exempt_from_sso)
}

fn has_role(column: &str, which: impl Fn(OrgRole) -> bool) -> String {
    let roles = OrgRole::ALL.into_iter().filter(|role| which(*role)).map(OrgRole::as_str);
    is_one_of(column, roles)
}

/// The condition that such a member has access to the app. The statement must join `app_members`.
pub fn reaches_app(column: &str) -> String {
    format!("({} OR app_members.role_id IS NOT NULL)", runs_org(column))
}

/// The condition that such a member holds a permission in the app. The statement must also join
/// `app_roles`.
pub fn holds(permission: Permission, column: &str) -> String {
    let builtin = BuiltinRole::ALL.into_iter().filter(|it| it.permissions().contains(&permission));
    format!(
        "({} OR {} OR EXISTS (SELECT 1 FROM role_permissions
            WHERE role_permissions.role_id = app_roles.id
                AND role_permissions.permission = '{}'))",
        runs_org(column),
        is_one_of("app_members.role_id", builtin.map(|role| role.id().to_string())),
        permission.code()
    )
}

/// The condition that a session is good enough for an organization, as in `SessionRequirements::check`:
/// `$2` is whether it has two factors, `$3` the session, `$4` the time since which owners need two
/// factors.
pub fn session_suffices() -> String {
    format!(
        "($2 = 1 OR (organizations.require_mfa_at IS NULL AND ({not_privileged}
            OR COALESCE(org_members.owner_since, org_members.joined_at) >= $4
            OR {CAME_THROUGH_PROVIDER})))
         AND ({exempt} OR {REQUIRE_SSO_AT} IS NULL OR {CAME_THROUGH_PROVIDER})",
        not_privileged = has_role("org_members.role", |role| !role.needs_second_factor()),
        exempt = is_exempt_from_sso("org_members.role"),
    )
}

fn is_one_of(column: &str, values: impl Iterator<Item = impl AsRef<str>>) -> String {
    let values: Vec<String> = values.map(|value| format!("'{}'", value.as_ref())).collect();
    format!("{column} IN ({})", values.join(", "))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;
    use atrium_core::permissions::app_permissions;

    #[test]
    fn rules_name_the_roles_of_the_registry() {
        assert_eq!(runs_org("a.role"), "a.role IN ('owner', 'admin')");
        assert_eq!(is_plain_member("role"), "role IN ('member')");
        assert_eq!(is_exempt_from_sso("role"), "role IN ('owner')");
        for permission in app_permissions() {
            let rule = holds(permission, "mine.role");
            for role in BuiltinRole::ALL {
                let held = role.permissions().contains(&permission);
                assert_eq!(rule.contains(role.id().as_str()), held, "{permission:?} {role:?}");
            }
        }
    }

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|it| it == "rs") {
                found.push(path);
            }
        }
    }

    #[test]
    fn no_other_statement_names_a_role() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut found = Vec::new();
        for entry in std::fs::read_dir(crates).unwrap() {
            sources(&entry.unwrap().path().join("src"), &mut found);
        }
        assert!(found.len() > 100, "{crates:?}");
        let here = Path::new(file!()).file_name().unwrap();
        for path in found.iter().filter(|path| path.file_name() != Some(here)) {
            let text = std::fs::read_to_string(path).unwrap();
            for role in OrgRole::ALL {
                let named = format!("'{}'", role.as_str());
                assert!(!text.contains(&named), "{named} in {}", path.display());
            }
            assert!(!text.contains("permissions LIKE"), "{}", path.display());
        }
    }
}
