-- The conversations of each folder, newest first, as the web client lists them: a row for each thread that a folder has messages of. Triggers
-- keep it, so that code of before writes it too. Whoever writes messages has locked the mailbox, so nobody counts at the same time.
create table conversations (
  project_id uuid not null,
  mailbox_id uuid not null,
  folder_id uuid not null,
  thread_id uuid not null,
  -- of the newest message in this folder: by the time at which it was received, then by its UID
  newest_at timestamptz not null,
  newest_uid int not null,
  -- of its messages in this folder
  messages int not null,
  unseen int not null,
  flagged int not null,
  drafts int not null,
  -- with attachments
  files int not null,
  primary key (project_id, mailbox_id, folder_id, thread_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
-- A jump to a row of a long list goes through this alone, so it is narrow: the id of a folder is like no other one's.
create index conversations_newest on conversations (folder_id, newest_at, newest_uid);

alter table folders
  -- rows of conversations
  add column conversations int not null default 0,
  -- Messages with lower UIDs are not in conversations yet: those of before this migration, which a worker lists from the newest to the oldest
  -- (src/store/list-older.ts). Nothing of a folder is, until it begins.
  add column unlisted_below int not null default 2147483647;
alter table folders alter column unlisted_below set default 1;

-- Threads that the messages belonged to; null: they were expunged by code of before.
alter table expunged add column thread_ids uuid[];

-- The rows of a statement are few in one and a thousand in the next, and the plan stays the same: it looks each of them up.
create function conversations_came() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with came as (
    select n.project_id, n.mailbox_id, n.folder_id, c.thread_id, max(n.internal_date) as newest_at,
      (array_agg(n.uid order by n.internal_date desc, n.uid desc))[1] as newest_uid, count(*)::int as messages,
      (count(*) filter (where n.flags & 1 = 0))::int as unseen, (count(*) filter (where n.flags & 4 <> 0))::int as flagged,
      (count(*) filter (where n.flags & 16 <> 0))::int as drafts, (count(*) filter (where c.attachments > 0))::int as files
    from new_rows n
    join folders f on f.project_id = n.project_id and f.mailbox_id = n.mailbox_id and f.id = n.folder_id and n.uid >= f.unlisted_below
    join message_contents c on c.project_id = n.project_id and c.mailbox_id = n.mailbox_id and c.object_id = n.object_id
    group by n.project_id, n.mailbox_id, n.folder_id, c.thread_id
  ), listed as (
    insert into conversations as v
      (project_id, mailbox_id, folder_id, thread_id, newest_at, newest_uid, messages, unseen, flagged, drafts, files)
    select * from came
    on conflict (project_id, mailbox_id, folder_id, thread_id) do update set
      newest_at = greatest(v.newest_at, excluded.newest_at),
      newest_uid = case when (excluded.newest_at, excluded.newest_uid) > (v.newest_at, v.newest_uid)
        then excluded.newest_uid else v.newest_uid end,
      messages = v.messages + excluded.messages, unseen = v.unseen + excluded.unseen, flagged = v.flagged + excluded.flagged,
      drafts = v.drafts + excluded.drafts, files = v.files + excluded.files
    returning v.project_id, v.mailbox_id, v.folder_id, xmax = 0 as is_new
  )
  update folders f set conversations = f.conversations + l.conversations
  from (
    select project_id, mailbox_id, folder_id, count(*)::int as conversations from listed where is_new
    group by project_id, mailbox_id, folder_id) l
  where f.project_id = l.project_id and f.mailbox_id = l.mailbox_id and f.id = l.folder_id;
  return null;
end $$;
create trigger messages_came after insert on messages
  referencing new table as new_rows for each statement execute function conversations_came();

create function conversations_marked() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with marked as (
    select e.project_id, e.mailbox_id, e.folder_id, c.thread_id,
      sum(case when e.flags & 1 = 0 then e.sign else 0 end)::int as unseen,
      sum(case when e.flags & 4 <> 0 then e.sign else 0 end)::int as flagged,
      sum(case when e.flags & 16 <> 0 then e.sign else 0 end)::int as drafts
    from (
      select 1 as sign, project_id, mailbox_id, folder_id, uid, object_id, flags from new_rows
      union all select -1, project_id, mailbox_id, folder_id, uid, object_id, flags from old_rows) e
    join folders f on f.project_id = e.project_id and f.mailbox_id = e.mailbox_id and f.id = e.folder_id and e.uid >= f.unlisted_below
    join message_contents c on c.project_id = e.project_id and c.mailbox_id = e.mailbox_id and c.object_id = e.object_id
    group by e.project_id, e.mailbox_id, e.folder_id, c.thread_id
  )
  update conversations v set unseen = v.unseen + m.unseen, flagged = v.flagged + m.flagged, drafts = v.drafts + m.drafts
  from marked m
  where v.project_id = m.project_id and v.mailbox_id = m.mailbox_id and v.folder_id = m.folder_id and v.thread_id = m.thread_id
    and (m.unseen, m.flagged, m.drafts) <> (0, 0, 0);
  return null;
end $$;
create trigger messages_marked after update on messages
  referencing old table as old_rows new table as new_rows for each statement execute function conversations_marked();

-- What is kept of a message goes after its last copy, so its thread is known here. What is left of a mailbox that was deleted has no folders:
-- its conversations go with the rest (src/store/delete-mail.ts).
create function conversations_left() returns trigger language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with went as (
    select o.project_id, o.mailbox_id, o.folder_id, c.thread_id, min(f.unlisted_below) as unlisted_below, array_agg(o.uid) as uids,
      count(*)::int as messages, (count(*) filter (where o.flags & 1 = 0))::int as unseen,
      (count(*) filter (where o.flags & 4 <> 0))::int as flagged, (count(*) filter (where o.flags & 16 <> 0))::int as drafts,
      (count(*) filter (where c.attachments > 0))::int as files
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
      drafts = v.drafts - w.drafts, files = v.files - w.files,
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
create trigger messages_left after delete on messages
  referencing old table as old_rows for each statement execute function conversations_left();
