/**
 * Snoozed mail: messages that wait in the folder Snoozed until a time, with a row that names this time and the folder to which they return.
 * Each change is one transaction under the mailbox lock, so any process can wake messages, and a message is always in exactly one folder. If
 * its row is missing, it stays in Snoozed.
 */
import { type RawBuilder, sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { rowsOf } from '../../db/rows.ts';
import { AppError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { FLAG } from '../../store/flags.ts';
import type { FolderKey } from '../../store/in-folder.ts';
import { lockForWriting } from '../../store/lock-for-writing.ts';
import { MAILBOX_KEY, type MailboxKey } from '../../store/lock-mailboxes.ts';
import type { MessageRow } from '../../store/remove-messages.ts';
import type { Store } from '../../store/store.ts';
import { MAX_UID, rangesAbove, rangesOf, type UidRange } from '../../store/uid-ranges.ts';

/** The name of the folder when it is created. Users can rename it. */
const FOLDER_NAME = 'Snoozed';
/** The messages that one transaction snoozes (`moveWithin`). */
const BATCH = 1_000;
/** The messages of a mailbox that one transaction wakes. */
const WOKEN_AT_ONCE = 500;
/** When a message that could not be moved is tried again. */
const RETRY_MS = 60 * 60_000;

export interface SnoozingOptions {
  database: Database;
  store: Pick<Store, 'folders' | 'createFolder' | 'moveIn' | 'ensureFolders'>;
}

export interface SnoozedBatch {
  folderId: string;
  ranges: UidRange[];
}

/** Condition on a row of `snoozed_messages`: its message is to be woken now. */
function isDue(): RawBuilder<unknown> {
  return sql`woken_at is null and until <= ${clock.now()}`;
}

/** Condition: a message is to be woken now. */
export function hasDueSnoozes(): RawBuilder<unknown> {
  return sql`exists (select from snoozed_messages where ${isDue()})`;
}

const DUE = columnsOf({
  objectId: 'uuid',
  folderId: 'uuid',
  returnFolderId: 'uuid',
  /** Null: the message is no longer in the folder Snoozed, so it is not snoozed. */
  uid: 'int4?',
  /** Whether the message is listed at the top and unread: it is the newest message of its conversation. */
  isNewest: 'bool',
});

export class Snoozing {
  readonly #options: SnoozingOptions;

  constructor(options: SnoozingOptions) {
    this.#options = options;
  }

  /** Moves messages to Snoozed. Messages in Snoozed get another time. @returns the messages in Snoozed @throws AppError */
  async snooze(key: FolderKey, ranges: readonly UidRange[], until: Date): Promise<SnoozedBatch> {
    const folderId = await this.#folder(key);
    if (folderId === key.folderId) return this.#postpone(key, ranges, until);
    const uids: number[] = [];
    for (let rest = ranges; ; ) {
      const moved = await this.#move(key, rest, folderId, until);
      uids.push(...moved.map(({ to }) => to));
      if (moved.length < BATCH) return { folderId, ranges: rangesOf(uids) };
      rest = rangesAbove(rest, moved.at(-1)?.from ?? MAX_UID);
    }
  }

  async #folder(mailbox: MailboxKey): Promise<string> {
    const { store } = this.#options;
    const find = async () => (await store.folders(mailbox)).find(({ uses }) => uses.includes('snoozed'))?.id;
    const known = await find();
    if (known !== undefined) return known;
    const made = await store.createFolder(mailbox, { name: FOLDER_NAME, uses: ['snoozed'] });
    if (made.outcome === 'done') return made.folderId;
    // Another process created the folder in the meantime, or the owner had a folder of this name.
    const named =
      (await find()) ?? (await store.folders(mailbox)).find(({ name }) => name === FOLDER_NAME)?.id;
    if (named !== undefined) return named;
    throw new AppError('bad-request', 'A mailbox can have at most 1,000 folders. Delete one first.');
  }

  async #move(
    key: FolderKey,
    ranges: readonly UidRange[],
    folderId: string,
    until: Date,
  ): Promise<{ from: number; to: number }[]> {
    const { database, store } = this.#options;
    const { result, committed } = await retryingConflicts(() =>
      database.transaction().execute(async (tx) => {
        const messages: MessageRow[] = [];
        const moved = await store.moveIn(tx, key, ranges, { id: folderId }, (message) => {
          messages.push(message);
          return message;
        });
        if (moved.result.outcome === 'filed' && messages.length > 0)
          await sql`
            insert into snoozed_messages (project_id, mailbox_id, object_id, folder_id, return_folder_id, until, received_at)
            select ${key.projectId}, ${key.mailboxId}, s.object_id, ${folderId}, ${key.folderId}, ${until}, s.received_at
            from ${SNOOZED.from(messages)}
            on conflict (project_id, mailbox_id, object_id) do update set folder_id = excluded.folder_id,
              return_folder_id = excluded.return_folder_id, until = excluded.until, woken_at = null`.execute(
            tx,
          );
        return moved;
      }),
    );
    committed();
    if (result.outcome === 'no-folder') return [];
    if (result.outcome === 'filed') return result.uids;
    throw new AppError(
      'bad-request',
      'The folder Snoozed can take no more keywords, which mail apps set on messages.',
    );
  }

  async #postpone(key: FolderKey, ranges: readonly UidRange[], until: Date): Promise<SnoozedBatch> {
    const { database } = this.#options;
    await sql`
      insert into snoozed_messages (project_id, mailbox_id, object_id, folder_id, return_folder_id, until, received_at)
      select m.project_id, m.mailbox_id, m.object_id, m.folder_id, f.id, ${until}, m.internal_date
      from messages m join folders f on f.project_id = m.project_id and f.mailbox_id = m.mailbox_id and f.role = 'inbox'
      where ${isIn(key, ranges)}
      on conflict (project_id, mailbox_id, object_id) do update set until = excluded.until, woken_at = null,
        folder_id = excluded.folder_id`.execute(database);
    return { folderId: key.folderId, ranges: [...ranges] };
  }

  /** Wakes snoozed messages in a folder now. @returns the number of woken messages */
  async wakeNow(key: FolderKey, ranges: readonly UidRange[]): Promise<number> {
    await sql`
      update snoozed_messages s set until = ${clock.now()} from messages m
      where ${isIn(key, ranges)} and s.project_id = m.project_id and s.mailbox_id = m.mailbox_id and s.object_id = m.object_id
        and s.folder_id = m.folder_id and s.woken_at is null and s.until > ${clock.now()}`.execute(
      this.#options.database,
    );
    let woken = 0;
    for (;;) {
      const some = await this.wakeDue(key);
      woken += some;
      if (some < WOKEN_AT_ONCE) return woken;
    }
  }

  /**
   * The mailboxes with due messages, the first of each project before the second of any.
   * @param limit the maximum number of mailboxes
   */
  async findDue(limit: number): Promise<MailboxKey[]> {
    const { rows } = await MAILBOX_KEY.sql`
      select project_id, mailbox_id from (
        select project_id, mailbox_id, min(until) as until,
          row_number() over (partition by project_id order by min(until)) as turn
        from snoozed_messages where ${isDue()} group by project_id, mailbox_id) due
      order by turn, until limit ${limit}`.execute(this.#options.database);
    return rows;
  }

  /** Wakes due messages of a mailbox, at most `WOKEN_AT_ONCE`. @returns the number of messages that were due */
  async wakeDue({ projectId, mailboxId }: MailboxKey): Promise<number> {
    const { database, store } = this.#options;
    const mailbox = { projectId, mailboxId };
    await store.ensureFolders([mailbox]);
    const { due, committed } = await retryingConflicts(() =>
      database.transaction().execute(async (tx) => {
        // Two processes find the same mailbox due. The second one waits here, and then finds nothing to wake.
        if (!(await lockForWriting(tx, mailbox))) return { due: 0, committed: [] };
        const rows = await readDue(tx, mailbox);
        const committed: (() => void)[] = [];
        for (const messages of Map.groupBy(rows, (row) => `${row.folderId} ${row.returnFolderId}`).values())
          committed.push(await this.#wake(tx, mailbox, messages));
        return { due: rows.length, committed };
      }),
    );
    for (const one of committed) one();
    return due;
  }

  /** @param messages with the same folders @returns a function to call after the commit */
  async #wake(
    tx: DatabaseTransaction,
    mailbox: MailboxKey,
    messages: readonly RowOf<typeof DUE>[],
  ): Promise<() => void> {
    const { projectId, mailboxId } = mailbox;
    const now = clock.now();
    const here = messages.filter(({ uid }) => uid !== null);
    const newest = new Set(here.filter(({ isNewest }) => isNewest).map(({ objectId }) => objectId));
    const { folderId, returnFolderId } = messages[0] as RowOf<typeof DUE>;
    const { result, committed } = await this.#options.store.moveIn(
      tx,
      { ...mailbox, folderId },
      rangesOf(here.flatMap(({ uid }) => uid ?? []).toSorted((a, b) => a - b)),
      { id: returnFolderId },
      (message) =>
        newest.has(message.objectId)
          ? { ...message, internalDate: now, flags: message.flags & ~FLAG.seen }
          : message,
    );
    const ids = (rows: readonly RowOf<typeof DUE>[]) => uuidArray(rows.map(({ objectId }) => objectId));
    const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId}`;
    const isFailed = result.outcome !== 'filed' && result.outcome !== 'no-folder';
    await sql`
      update snoozed_messages set ${isFailed ? sql`until = ${new Date(now.getTime() + RETRY_MS)}` : sql`woken_at = ${now}`}
      where ${isOf} and object_id = any (${ids(here)}::uuid[])`.execute(tx);
    const gone = messages.filter(({ uid }) => uid === null);
    if (gone.length > 0)
      await sql`delete from snoozed_messages where ${isOf} and object_id = any (${ids(gone)}::uuid[])`.execute(
        tx,
      );
    return committed;
  }
}

const SNOOZED = rowsOf<MessageRow>('s', {
  object_id: ['uuid', ({ objectId }) => objectId],
  received_at: ['timestamptz', ({ internalDate }) => internalDate],
});

/** Condition on the row `m` of `messages`: it is in the folder and in the ranges. */
function isIn(
  { projectId, mailboxId, folderId }: FolderKey,
  ranges: readonly UidRange[],
): RawBuilder<unknown> {
  const within = ranges.map(({ first, last }) => sql`m.uid between ${first} and ${Math.min(last, MAX_UID)}`);
  return sql`m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${folderId}
    and (${within.length === 0 ? sql`false` : sql.join(within, sql` or `)})`;
}

/** A message is not the newest of its conversation if the folder to which it returns has a newer one: new mail ended its snooze. */
async function readDue(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
): Promise<RowOf<typeof DUE>[]> {
  const { rows } = await DUE.sql`
    with due as (
      select s.object_id, s.folder_id, s.received_at, c.thread_id, (
          select m.uid from messages m
          where m.project_id = s.project_id and m.mailbox_id = s.mailbox_id and m.folder_id = s.folder_id and m.object_id = s.object_id
          order by m.uid limit 1) as uid,
        coalesce(r.id, i.id) as return_folder_id
      from snoozed_messages s
      left join message_contents c
        on c.project_id = s.project_id and c.mailbox_id = s.mailbox_id and c.object_id = s.object_id
      left join folders r
        on r.project_id = s.project_id and r.mailbox_id = s.mailbox_id and r.id = s.return_folder_id and r.name is not null
      left join folders i on i.project_id = s.project_id and i.mailbox_id = s.mailbox_id and i.role = 'inbox'
      where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and ${isDue()}
      order by s.until limit ${WOKEN_AT_ONCE}
    )
    select d.object_id, d.folder_id, d.return_folder_id, d.uid,
      d.uid is not null and d.object_id = first_value(d.object_id) over (
        partition by d.thread_id order by d.uid is null, d.received_at desc, d.uid desc)
      and not exists (
        select from message_contents c
        join messages m on m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
        where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.thread_id = d.thread_id
          and m.folder_id = d.return_folder_id and m.internal_date > d.received_at) as is_newest
    from due d`.execute(tx);
  return rows;
}
