-- Which version of the code a process runs. What does not say so is older than the column.
alter table processes add column version text not null default '0.1.0';
