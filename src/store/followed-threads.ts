/** The effects of new mail on the conversation that it continues. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import type { MessageFacts } from './facts/message-facts.ts';
import { MUTED } from './flags.ts';
import type { MailboxKey } from './lock-mailboxes.ts';
import { threadLinksOf, threadOf } from './threads.ts';

/** The maximum number of messages of a conversation that are read. Muting marks all messages, so any of them is enough. */
const MAX_READ = 100;

const THREADS = rowsOf<MailboxKey & { threadId: string }>('t', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  thread_id: ['uuid', ({ threadId }) => threadId],
});
const MUTED_THREAD = columnsOf({ threadId: 'uuid' });

/**
 * Makes the snoozed messages of continued conversations due, and finds the muted conversations. The mailboxes are locked.
 * @param threads for each mailbox id, the thread of each link
 * @returns the ids of the muted threads
 */
export async function followThreads(
  tx: DatabaseTransaction,
  batch: readonly (MailboxKey & { facts: MessageFacts; isNewMail?: boolean })[],
  threads: ReadonlyMap<string, ReadonlyMap<string, string>>,
): Promise<ReadonlySet<string>> {
  const continued = batch
    .filter(({ isNewMail }) => isNewMail === true)
    .flatMap(({ projectId, mailboxId, facts }) => {
      const threadId = threadOf(threadLinksOf(facts), threads.get(mailboxId) ?? new Map());
      return threadId === undefined ? [] : [{ projectId, mailboxId, threadId }];
    });
  if (continued.length === 0) return new Set();
  // Most mailboxes have neither: the folders of the mailbox and an index of the few snoozed messages tell.
  const { rows } = await MUTED_THREAD.sql`
    with continued as materialized (select distinct * from ${THREADS.from(continued)}), woken as (
      update snoozed_messages s set until = ${clock.now()} from continued t
      where s.project_id = t.project_id and s.mailbox_id = t.mailbox_id and s.woken_at is null and s.until > ${clock.now()}
        and exists (
          select from message_contents c
          where c.project_id = s.project_id and c.mailbox_id = s.mailbox_id and c.object_id = s.object_id and c.thread_id = t.thread_id)
    )
    select t.thread_id from continued t
    where exists (
      select from folders f where f.project_id = t.project_id and f.mailbox_id = t.mailbox_id and ${isMuted(sql`f.keywords`)})
      and exists (
        select from (
          select c.object_id from message_contents c
          where c.project_id = t.project_id and c.mailbox_id = t.mailbox_id and c.thread_id = t.thread_id limit ${MAX_READ}) c
        join messages m on m.project_id = t.project_id and m.mailbox_id = t.mailbox_id and m.object_id = c.object_id
        where ${isMuted(sql`m.keywords`)})`.execute(tx);
  return new Set(rows.map(({ threadId }) => threadId));
}

function isMuted(keywords: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from unnest(${keywords}) k where lower(k) = ${MUTED})`;
}
