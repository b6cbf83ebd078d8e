-- When a person last opened or clicked an email of the hour, to within half a minute. A count that is clearly younger and found no such email is
-- still true, so a search can skip the hour. The default: before, no version noted it.
alter table email_counts add column person_at timestamptz not null default now();
