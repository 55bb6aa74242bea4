-- Grows whenever a lease is taken from an instance that did not give it back: what that one still
-- sends is known by its lower number.
ALTER TABLE leases ADD COLUMN fence BIGINT NOT NULL DEFAULT 0;

-- Who is next, while somebody else holds it, and until when nobody else may take it before them.
ALTER TABLE leases ADD COLUMN next_holder TEXT NOT NULL DEFAULT '';
ALTER TABLE leases ADD COLUMN next_until BIGINT NOT NULL DEFAULT 0;

-- The instances that load events at the moment.
CREATE TABLE loaders (
    name       TEXT PRIMARY KEY,
    seen_until BIGINT NOT NULL
);

-- Spools that were handed to another server, and up to which of their groups.
CREATE TABLE adopted_spools (
    name       TEXT PRIMARY KEY,
    upto       BIGINT NOT NULL,
    adopted_at BIGINT NOT NULL
);

-- Loading was one lease and is one for each partition of the apps. An instance of an earlier version
-- that still runs must not load beside the new ones: its messages wait in its spool until it is upgraded.
INSERT INTO leases (name, holder, held_until) VALUES ('loader', 'partitions', 9000000000000000)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until;
