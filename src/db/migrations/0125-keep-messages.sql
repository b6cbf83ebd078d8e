-- migration: serves from 0.2.0
-- Once this has run, messages submitted by SMTP are stored as they are (src/sending/accept/mail/kept-messages.ts). Older code would send them without
-- their files, so this waits until no older code is running.
comment on table email_messages is 'Messages submitted by SMTP, which only versions from 0.2.0 on send as they are';
