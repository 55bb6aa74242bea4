-- What a custom role may do, a row for each permission; built-in roles stand in the code.
CREATE TABLE role_permissions (
    role_id    TEXT NOT NULL REFERENCES app_roles (id) ON DELETE CASCADE,
    permission TEXT NOT NULL,
    PRIMARY KEY (role_id, permission)
);

-- Until now they were a JSON list of codes, which the two databases read in different ways. These are
-- all the codes there have been.
INSERT INTO role_permissions (role_id, permission)
SELECT app_roles.id, codes.code FROM app_roles JOIN (
    SELECT 'app:view' AS code
    UNION ALL SELECT 'app:update'
    UNION ALL SELECT 'app:archive'
    UNION ALL SELECT 'app:delete'
    UNION ALL SELECT 'member:view'
    UNION ALL SELECT 'member:manage'
    UNION ALL SELECT 'role:view'
    UNION ALL SELECT 'role:manage'
    UNION ALL SELECT 'key:view'
    UNION ALL SELECT 'key:reveal'
    UNION ALL SELECT 'key:manage'
    UNION ALL SELECT 'dashboard:view'
    UNION ALL SELECT 'event:view'
    UNION ALL SELECT 'event:export'
    UNION ALL SELECT 'live:view'
    UNION ALL SELECT 'profile:view'
    UNION ALL SELECT 'profile:pii'
    UNION ALL SELECT 'query:run'
    UNION ALL SELECT 'metadata:view'
    UNION ALL SELECT 'metadata:manage'
    UNION ALL SELECT 'audit:view'
    UNION ALL SELECT 'audit:export'
) AS codes ON app_roles.permissions LIKE '%"' || codes.code || '"%';

ALTER TABLE app_roles DROP COLUMN permissions;
