/** Fills folders of any size with rows that are copies of appended messages. */
import type { FolderKey } from '../../src/store/in-folder.ts';
import type { Product } from './product.ts';

/** How many messages one statement inserts. */
const SLICE = 100_000;
/** How many messages a conversation has. */
const LENGTH = 3;
/** An expression for ids from a month ago, in the order of the UIDs. The ids are old, because the word index skips new messages. */
const OBJECT_ID = `(lpad(to_hex((extract(epoch from now() - interval '30 days') * 1000)::bigint + n), 12, '0')
  || '70008000' || substr(md5(n::text || random()::text), 1, 12))::uuid`;

/** @param folder a folder with at least one message and with UIDs from 1. New messages are copies of its messages */
export async function fillFolder(
  { query }: Pick<Product, 'query'>,
  { projectId, mailboxId, folderId }: FolderKey,
  count: number,
): Promise<void> {
  const isOf = `project_id = '${projectId}' and mailbox_id = '${mailboxId}' and folder_id = '${folderId}'`;
  const [made] = await query<{ n: number }>(`select count(*)::int as n from messages where ${isOf}`);
  const have = made?.n ?? 0;
  const names = await query<{ name: string }>(
    `select column_name as name from information_schema.columns
    where table_name = 'message_contents' and column_name not in ('object_id', 'thread_id')`,
  );
  const columns = names.map(({ name }) => name);
  for (let first = have + 1; first <= count; first += SLICE) {
    const last = Math.min(count, first + SLICE - 1);
    // For each message, one subquery reads its contents; `limit 1` prevents PostgreSQL from using a join. Without statistics PostgreSQL
    // expects a single row in the mailbox, so a join would compare each message with all contents.
    await query(`
      with made as materialized (
        select ${columns.map((name) => `c.${name}`).join(', ')}, n, ${OBJECT_ID} as copy_id, m.flags, m.keywords,
          m.octets as message_octets, m.internal_date, m.save_date
        from messages m, lateral (select * from message_contents c where c.project_id = m.project_id
            and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c,
          lateral generate_series(${first} + mod(m.uid + ${have * first - first}, ${have}), ${last}, ${have}) n
        where m.${isOf.replaceAll(' and ', ' and m.')} and m.uid <= ${have}
        order by n
      ), contents as (
        insert into message_contents (${columns.join(', ')}, object_id, thread_id) select ${columns.join(', ')}, copy_id, copy_id from made
      )
      insert into messages (project_id, mailbox_id, folder_id, uid, modseq, flags, keywords, object_id, octets, internal_date, save_date)
      select project_id, mailbox_id, '${folderId}', n, n + 1, flags, keywords, copy_id, message_octets, internal_date, save_date from made`);
  }
  await query(`
    update folders f set messages = s.n, unseen = s.unseen, octets = s.octets, uid_next = ${count + 1}, highest_modseq = ${count + 1}
    from (select count(*) as n, count(*) filter (where flags & 1 = 0) as unseen, sum(octets) as octets from messages where ${isOf}) s
    where f.id = '${folderId}'`);
  await query('vacuum (analyze)');
  await query('checkpoint');
}

/** Spreads the messages over a year, in conversations of several messages. No conversation is listed yet, as after an upgrade. */
export async function spreadFolder(
  { query }: Pick<Product, 'query'>,
  { mailboxId, folderId }: FolderKey,
  count: number,
): Promise<void> {
  await query(`
    update messages set internal_date = now() - (${count} - uid) * interval '5 minutes' where folder_id = '${folderId}'`);
  await query(`
    update message_contents c set thread_id = h.object_id
    from messages m, messages h
    where m.folder_id = '${folderId}' and h.folder_id = '${folderId}' and h.uid = m.uid - mod(m.uid - 1, ${LENGTH})
      and c.project_id = m.project_id and c.mailbox_id = '${mailboxId}' and c.object_id = m.object_id`);
  await query(`delete from conversations where folder_id = '${folderId}'`);
  await query(`update folders set conversations = 0, unlisted_below = 2147483647 where id = '${folderId}'`);
  await query('vacuum (analyze)');
}
