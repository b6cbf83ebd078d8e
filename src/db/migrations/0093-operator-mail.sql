-- Mail to postmaster and abuse for which there is no mailbox: operators read it under System (docs/operate/system.md, Mail for operators).
-- At most 1,000 messages and 100 MB, for 30 days.
create table operator_mail (
  -- its time is when the message was received
  id uuid primary key,
  -- SHA-256 of raw: a message that its sender brings again is stored once
  digest bytea not null unique,
  -- as RCPT gave them
  recipients text[] not null,
  -- empty: the null reverse path
  reverse_path text not null,
  client_address text not null,
  helo text not null,
  -- decoded, as the header says
  author text not null,
  subject text not null,
  octets integer not null,
  raw bytea not null
);
