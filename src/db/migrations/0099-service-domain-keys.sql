-- Domains that an operator added for the service's own mail have keys and records of their own, which are checked like those of projects. Copies of
-- a project's claim are never checked: the project publishes their records. Older code adds copies alone.
alter table service_domains add column has_own_keys boolean not null default false;
