-- Those who run an organisation, without walking its members.
CREATE INDEX org_members_by_role ON org_members (org_id, role);
