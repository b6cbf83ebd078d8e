-- migration: one by one
-- Emails that wait for a time, what can be cancelled, and batches (docs/decisions/0076-batches-and-scheduled-emails.md).

-- when it is to be sent; null: at once
alter table emails add column if not exists scheduled_at timestamptz;
-- the same as in emails: from then on an attempt counts as late
alter table queue add column if not exists scheduled_at timestamptz;
-- A worker stopped while it waited for the last answer: the message may have gone out, and the row counts no crash.
alter table queue add column if not exists in_doubt boolean not null default false;
-- of a batch: all of its emails, the first of which is email_id
alter table idempotency_keys add column if not exists email_ids uuid[];
