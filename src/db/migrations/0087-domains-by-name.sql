-- migration: one by one
-- Whether an address is local is asked by name, of claims of all projects that were ever verified.
create index concurrently if not exists domains_name on domains (name);
