/** Folders of any size: copies of messages that were appended, as rows of their own. */
import type { FolderKey } from '../../src/store/in-folder.ts';
import type { Product } from './product.ts';

/** Messages of one statement. */
const SLICE = 100_000;
/** Of a month ago, in the order of the UIDs: the index of words takes nothing that is new. */
const OBJECT_ID = `(lpad(to_hex((extract(epoch from now() - interval '30 days') * 1000)::bigint + n), 12, '0')
  || '70008000' || substr(md5(n::text || random()::text), 1, 12))::uuid`;

/** @param folder with one message or more, whose UIDs begin with 1; each of the others is a copy of one of these */
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
  for (let first = have + 1; first <= count; first += SLICE)
    await query(`
      with made as materialized (
        select n, ${OBJECT_ID} as object_id, 1 + (n - 1) % ${have} as like_uid
        from generate_series(${first}, ${Math.min(count, first + SLICE - 1)}) n
      ), one as materialized (
        select c.*, m.uid from messages m join message_contents c using (project_id, mailbox_id, object_id)
        where m.${isOf.replaceAll(' and ', ' and m.')} and m.uid <= ${have}
      ), contents as (
        insert into message_contents (${columns.join(', ')}, object_id, thread_id)
        select ${columns.map((name) => `one.${name}`).join(', ')}, made.object_id, made.object_id
        from made join one on one.uid = made.like_uid
      )
      insert into messages (project_id, mailbox_id, folder_id, uid, modseq, flags, keywords, object_id, octets, internal_date, save_date)
      select m.project_id, m.mailbox_id, m.folder_id, n, n + 1, m.flags, m.keywords, made.object_id, m.octets, m.internal_date, m.save_date
      from made join messages m on m.uid = made.like_uid and m.${isOf.replaceAll(' and ', ' and m.')}`);
  await query(`
    update folders f set messages = s.n, unseen = s.unseen, octets = s.octets, uid_next = ${count + 1}, highest_modseq = ${count + 1}
    from (select count(*) as n, count(*) filter (where flags & 1 = 0) as unseen, sum(octets) as octets from messages where ${isOf}) s
    where f.id = '${folderId}'`);
  await query('vacuum (analyze)');
  await query('checkpoint');
}
