-- migration: serves from 0.2.0
-- Once this has run, messages submitted by SMTP are stored as they are (src/sending/accept/mail/kept-messages.ts). Older code would send them without
-- their files, so this waits until no older code is running.
insert into settings (name, value) values ('keeps_messages', '1') on conflict (name) do nothing;
