-- Where a name stands among others: Chinese ones by their pinyin. The databases do not know that
-- order, so the program writes it, also for the names that are here already.
ALTER TABLE users ADD COLUMN name_order TEXT NOT NULL DEFAULT '';
ALTER TABLE organizations ADD COLUMN name_order TEXT NOT NULL DEFAULT '';
ALTER TABLE apps ADD COLUMN name_order TEXT NOT NULL DEFAULT '';
ALTER TABLE app_roles ADD COLUMN name_order TEXT NOT NULL DEFAULT '';
ALTER TABLE access_keys ADD COLUMN name_order TEXT NOT NULL DEFAULT '';

-- Of which rules they are; the program writes all of them anew when it has others.
CREATE TABLE name_order_rules (version TEXT NOT NULL);
INSERT INTO name_order_rules (version) VALUES ('');
