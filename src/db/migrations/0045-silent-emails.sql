-- Emails that applications hand in by SMTP are told to no webhook, unless their project wants it.
alter table projects add column smtp_events boolean not null default false;
-- Code of before accepts by the API alone.
alter table emails add column emits_events boolean not null default true;
