-- What becomes of mail at its delivery, for each mailbox: rules, vacation, forwarding and the block list (docs/rules.md).

-- Goes up with each change of what stands below. 0: nothing ever did, and nobody looks.
alter table mailboxes add column filing_version int not null default 0;

create table mailbox_rules (
  project_id uuid not null,
  mailbox_id uuid not null,
  id uuid not null,
  -- from 1 on, without gaps
  position int not null,
  name text not null,
  is_enabled boolean not null,
  -- one of the conditions is enough
  is_any boolean not null,
  conditions json not null,
  actions json not null,
  created_at timestamptz not null,
  primary key (project_id, mailbox_id, id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

create table mailbox_blocks (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- an address in normal form, in lower case, or a domain: that and all below it
  sender text not null,
  created_at timestamptz not null,
  primary key (project_id, mailbox_id, sender),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

create table mailbox_vacations (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- null: made from that of the message
  subject text,
  text text not null,
  html text,
  starts_at timestamptz,
  -- it is over then
  ends_at timestamptz,
  -- for how long a sender gets no other answer
  days smallint not null,
  set_at timestamptz not null,
  primary key (project_id, mailbox_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Whom a mailbox has answered. A row goes after 31 days.
create table vacation_answers (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- in lower case
  sender text not null,
  answered_at timestamptz not null,
  primary key (project_id, mailbox_id, sender),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index vacation_answers_age on vacation_answers (answered_at);

create table mailbox_forwards (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- in normal form
  target text not null,
  keeps_copy boolean not null,
  set_at timestamptz not null,
  primary key (project_id, mailbox_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- Targets, of rules too, that refused what was forwarded to them last.
create table forward_failures (
  project_id uuid not null,
  mailbox_id uuid not null,
  target text not null,
  -- in a row
  failures int not null,
  since timestamptz not null,
  -- nothing is forwarded to it any more
  off_since timestamptz,
  -- what it said last
  reply text not null,
  primary key (project_id, mailbox_id, target),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);

-- What was forwarded and did not arrive: it is counted against its target, and brought back where there is no other copy.
create table failed_forwards (
  project_id uuid not null,
  submission_id uuid not null,
  failed_at timestamptz not null default now(),
  primary key (project_id, submission_id)
);

-- By a trigger, so that no path to the end of a delivery forgets it, nor a report that comes later.
create function forward_failed() returns trigger language plpgsql as $$
begin
  insert into failed_forwards (project_id, submission_id)
  select s.project_id, s.id from submissions s
  where s.project_id = new.project_id and s.id = new.submission_id and s.kind in ('forward', 'moved')
  on conflict do nothing;
  return null;
end $$;
create trigger submission_recipients_forward_failed after update of outcome on submission_recipients
  for each row when (new.outcome = 'failed' and old.outcome is distinct from 'failed')
  execute function forward_failed();
