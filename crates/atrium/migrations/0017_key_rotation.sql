-- Once the master key was rotated: the instance's first key, sealed under the one in use. What must
-- never change with a rotation (pseudonyms, the audit log's hashes, hashes of codes) is derived from it.
ALTER TABLE instance ADD COLUMN root_sealed TEXT;

-- The fingerprint of the key before, while values are still sealed under it.
ALTER TABLE instance ADD COLUMN key_rotating_from TEXT;
