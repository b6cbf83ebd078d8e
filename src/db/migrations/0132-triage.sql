-- migration: one by one
-- Labels, pinned and snoozed mail (docs/decisions/0155-labels-and-snooze.md). Labels are IMAP keywords of messages: this table only says
-- how the web client shows a keyword.
create table if not exists mailbox_labels (
  project_id uuid not null,
  mailbox_id uuid not null,
  -- in lower case, as keywords are compared
  keyword text not null check (length(keyword) <= 64),
  name text not null check (length(name) <= 60),
  color text,
  created_at timestamptz not null,
  primary key (project_id, mailbox_id, keyword),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
-- Messages that wait in the folder Snoozed, or came back from there. The row of a message that came back stays as long as the message,
-- because a conversation shows the message where it was first received.
create table if not exists snoozed_messages (
  project_id uuid not null,
  mailbox_id uuid not null,
  object_id uuid not null,
  -- in which the message waits; a message that is no longer there is not snoozed
  folder_id uuid not null,
  -- to which it returns; the Inbox if the folder is gone
  return_folder_id uuid not null,
  until timestamptz not null,
  -- the internal date before
  received_at timestamptz not null,
  woken_at timestamptz,
  primary key (project_id, mailbox_id, object_id),
  foreign key (project_id, mailbox_id) references mailboxes on delete cascade
);
create index if not exists snoozed_messages_due on snoozed_messages (until) where woken_at is null;
-- The number of messages with the keyword $pinned. Conversations with such a message are listed first.
alter table conversations add column if not exists pinned int not null default 0;
create index concurrently if not exists conversations_pinned_newest
  on conversations (folder_id, (pinned > 0), newest_at, newest_uid) include (pinned);
-- Finds labelled mail without reading the rest of a mailbox.
create index concurrently if not exists messages_labelled_unread
  on messages (project_id, mailbox_id, folder_id) where keywords <> '{}' and flags & 1 = 0;
create or replace function is_pinned(keywords text[]) returns boolean language sql immutable as
  $$ select keywords <> '{}' and exists (select from unnest(keywords) k where lower(k) = '$pinned') $$;
create or replace function conversations_came() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with came as (
    select n.project_id, n.mailbox_id, n.folder_id, c.thread_id, max(n.internal_date) as newest_at,
      (array_agg(n.uid order by n.internal_date desc, n.uid desc))[1] as newest_uid, count(*)::int as messages,
      (count(*) filter (where n.flags & 1 = 0))::int as unseen, (count(*) filter (where n.flags & 4 <> 0))::int as flagged,
      (count(*) filter (where n.flags & 16 <> 0))::int as drafts, (count(*) filter (where c.attachments > 0))::int as files,
      (count(*) filter (where is_pinned(n.keywords)))::int as pinned
    from new_rows n
    join folders f on f.project_id = n.project_id and f.mailbox_id = n.mailbox_id and f.id = n.folder_id and n.uid >= f.unlisted_below
    join message_contents c on c.project_id = n.project_id and c.mailbox_id = n.mailbox_id and c.object_id = n.object_id
    group by n.project_id, n.mailbox_id, n.folder_id, c.thread_id
  ), listed as (
    insert into conversations as v
      (project_id, mailbox_id, folder_id, thread_id, newest_at, newest_uid, messages, unseen, flagged, drafts, files, pinned)
    select * from came
    on conflict (project_id, mailbox_id, folder_id, thread_id) do update set
      newest_at = greatest(v.newest_at, excluded.newest_at),
      newest_uid = case when (excluded.newest_at, excluded.newest_uid) > (v.newest_at, v.newest_uid)
        then excluded.newest_uid else v.newest_uid end,
      messages = v.messages + excluded.messages, unseen = v.unseen + excluded.unseen, flagged = v.flagged + excluded.flagged,
      drafts = v.drafts + excluded.drafts, files = v.files + excluded.files, pinned = v.pinned + excluded.pinned
    returning v.project_id, v.mailbox_id, v.folder_id, xmax = 0 as is_new
  )
  update folders f set conversations = f.conversations + l.conversations
  from (
    select project_id, mailbox_id, folder_id, count(*)::int as conversations from listed where is_new
    group by project_id, mailbox_id, folder_id) l
  where f.project_id = l.project_id and f.mailbox_id = l.mailbox_id and f.id = l.folder_id;
  return null;
end $$;
create or replace function conversations_marked() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with marked as (
    select e.project_id, e.mailbox_id, e.folder_id, c.thread_id,
      sum(case when e.flags & 1 = 0 then e.sign else 0 end)::int as unseen,
      sum(case when e.flags & 4 <> 0 then e.sign else 0 end)::int as flagged,
      sum(case when e.flags & 16 <> 0 then e.sign else 0 end)::int as drafts,
      sum(case when is_pinned(e.keywords) then e.sign else 0 end)::int as pinned
    from (
      select 1 as sign, project_id, mailbox_id, folder_id, uid, object_id, flags, keywords from new_rows
      union all select -1, project_id, mailbox_id, folder_id, uid, object_id, flags, keywords from old_rows) e
    join folders f on f.project_id = e.project_id and f.mailbox_id = e.mailbox_id and f.id = e.folder_id and e.uid >= f.unlisted_below
    join message_contents c on c.project_id = e.project_id and c.mailbox_id = e.mailbox_id and c.object_id = e.object_id
    group by e.project_id, e.mailbox_id, e.folder_id, c.thread_id
  )
  update conversations v set unseen = v.unseen + m.unseen, flagged = v.flagged + m.flagged, drafts = v.drafts + m.drafts,
    pinned = v.pinned + m.pinned
  from marked m
  where v.project_id = m.project_id and v.mailbox_id = m.mailbox_id and v.folder_id = m.folder_id and v.thread_id = m.thread_id
    and (m.unseen, m.flagged, m.drafts, m.pinned) <> (0, 0, 0, 0);
  return null;
end $$;
create or replace function conversations_left() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with went as (
    select o.project_id, o.mailbox_id, o.folder_id, c.thread_id, min(f.unlisted_below) as unlisted_below, array_agg(o.uid) as uids,
      count(*)::int as messages, (count(*) filter (where o.flags & 1 = 0))::int as unseen,
      (count(*) filter (where o.flags & 4 <> 0))::int as flagged, (count(*) filter (where o.flags & 16 <> 0))::int as drafts,
      (count(*) filter (where c.attachments > 0))::int as files, (count(*) filter (where is_pinned(o.keywords)))::int as pinned
    from old_rows o
    join folders f on f.project_id = o.project_id and f.mailbox_id = o.mailbox_id and f.id = o.folder_id and o.uid >= f.unlisted_below
    join message_contents c on c.project_id = o.project_id and c.mailbox_id = o.mailbox_id and c.object_id = o.object_id
    group by o.project_id, o.mailbox_id, o.folder_id, c.thread_id
  ), emptied as (
    delete from conversations v using went w
    where v.project_id = w.project_id and v.mailbox_id = w.mailbox_id and v.folder_id = w.folder_id and v.thread_id = w.thread_id
      and v.messages <= w.messages
    returning v.project_id, v.mailbox_id, v.folder_id
  ), lessened as (
    update conversations v set messages = v.messages - w.messages, unseen = v.unseen - w.unseen, flagged = v.flagged - w.flagged,
      drafts = v.drafts - w.drafts, files = v.files - w.files, pinned = v.pinned - w.pinned,
      (newest_at, newest_uid) = (
        select n.newest_at, n.newest_uid from (
          select v.newest_at, v.newest_uid where not v.newest_uid = any (w.uids)
          union all (
            select m.internal_date, m.uid from message_contents c
            join messages m on m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
            where v.newest_uid = any (w.uids) and c.project_id = w.project_id and c.mailbox_id = w.mailbox_id
              and c.thread_id = w.thread_id and m.folder_id = w.folder_id and m.uid >= w.unlisted_below
            order by m.internal_date desc, m.uid desc limit 1)) n)
    from went w
    where v.project_id = w.project_id and v.mailbox_id = w.mailbox_id and v.folder_id = w.folder_id and v.thread_id = w.thread_id
      and v.messages > w.messages
  )
  update folders f set conversations = f.conversations - e.conversations
  from (
    select project_id, mailbox_id, folder_id, count(*)::int as conversations from emptied
    group by project_id, mailbox_id, folder_id) e
  where f.project_id = e.project_id and f.mailbox_id = e.mailbox_id and f.id = e.folder_id;
  return null;
end $$;
