-- Sessions that an organisation's managers ended as far as it goes: whoever has not proven since who
-- they are does so before they act in it again.
ALTER TABLE org_members ADD COLUMN sessions_ended_at BIGINT;

-- When the member became an owner; NULL for those who joined as one.
ALTER TABLE org_members ADD COLUMN owner_since BIGINT;

-- Since when this instance asks owners and operators for a second factor.
ALTER TABLE instance ADD COLUMN privileged_mfa_since BIGINT;
