-- expand
-- The oldest program that may use the database after a migration, by the last migration that it knows:
-- a program of an earlier release looks here whether it may go on.
ALTER TABLE schema_migrations ADD COLUMN oldest_program BIGINT NOT NULL DEFAULT 0;

-- The last migrations that an instance knows, of the database and of the event store. One of a release
-- that does not say so knows fewer.
ALTER TABLE instances ADD COLUMN database_migration BIGINT NOT NULL DEFAULT 0;
ALTER TABLE instances ADD COLUMN event_migration BIGINT NOT NULL DEFAULT 0;
