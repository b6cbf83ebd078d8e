-- `schema_changes` alone says which migrations ran. Code that looked only at this table was never released.
drop table if exists migrations;
-- Each process says its version.
alter table processes alter column version drop default;
