-- Messages that applications submit by SMTP (docs/submission.md). They are sent as submitted, so their bytes are stored as blobs.
create table email_messages (
  project_id uuid not null,
  email_id uuid not null,
  -- The digest of the blob: the message without the fields that Posthorn writes itself
  digest bytea not null,
  octets int not null,
  -- SHA-256 of the canonical body, for DKIM
  body_hash bytea not null,
  message_id text not null,
  -- The positions of the bodies and files (src/model/message-layout.ts)
  layout json not null,
  primary key (project_id, email_id)
);
-- The sweep of blobs searches by digest.
create index email_messages_digest on email_messages (project_id, digest);

-- Whether opens and clicks of emails submitted by SMTP are tracked.
alter table projects add column smtp_tracking boolean not null default false;
