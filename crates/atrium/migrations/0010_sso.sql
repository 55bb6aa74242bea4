-- Single sign-on of an organisation: its provider, its mail domains, who came through it.

CREATE TABLE org_sso (
    org_id        TEXT PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
    issuer        TEXT NOT NULL,
    client_id     TEXT NOT NULL,
    -- Sealed under the master key.
    client_secret TEXT NOT NULL,
    default_role  TEXT NOT NULL CHECK (default_role IN ('admin', 'member')),
    enabled_at    BIGINT,
    -- From then on members other than owners come in through it.
    enforced_at   BIGINT,
    updated_at    BIGINT NOT NULL
);

CREATE TABLE org_domains (
    org_id      TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    domain      TEXT NOT NULL,
    -- What the DNS record must say.
    proof       TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    verified_at BIGINT,
    verified_by TEXT CHECK (verified_by IN ('dns', 'operator')),
    PRIMARY KEY (org_id, domain)
);
-- Many may claim a domain, one can prove it.
CREATE UNIQUE INDEX org_domains_verified ON org_domains (domain) WHERE verified_at IS NOT NULL;

-- Who a provider says someone is. Per organisation: two that use the same provider link apart.
CREATE TABLE sso_identities (
    org_id       TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    issuer       TEXT NOT NULL,
    subject      TEXT NOT NULL,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- As the provider last told it: a name that the person changed here is theirs.
    name         TEXT NOT NULL,
    linked_at    BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    PRIMARY KEY (org_id, issuer, subject)
);
CREATE INDEX sso_identities_by_user ON sso_identities (user_id);

-- Through which organisations' providers a session came.
CREATE TABLE session_orgs (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    org_id     TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    came_at    BIGINT NOT NULL,
    PRIMARY KEY (session_id, org_id)
);
CREATE INDEX session_orgs_by_org ON session_orgs (org_id);

-- Whoever was taken out of an organisation does not come back on its provider's word, not with a new
-- account either. An invitation ends it.
CREATE TABLE org_removals (
    org_id           TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    email_normalized TEXT NOT NULL,
    at               BIGINT NOT NULL,
    PRIMARY KEY (org_id, email_normalized)
);
