/**
 * Outgoing mail. A sent message waits for the seconds that its owner set, or until its scheduled time, and can be canceled during this wait. One transaction
 * removes the draft from Drafts and sets the send time in the draft's row. In another transaction, a worker passes the message to
 * submission (`outgoing-sender.ts`). A cancellation and the worker both lock the row. The first transaction to lock it wins.
 */
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { lockForWriting } from '../../store/lock-for-writing.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { type DraftRow, findDraft, isQueuedOrSent } from './draft-rows.ts';
import { type Drafts, type StoredDraft, noDraft } from './drafts.ts';
import { MAX_OUTGOING, MAX_SCHEDULE_DAYS, MAX_SCHEDULE_MS, PAST_IS_NOW_MS } from './limits.ts';
import type { SendChecks } from './send-checks.ts';
import { findSentKey, recordSentKey } from './sent-keys.ts';
import { TIMINGS } from './timings.ts';

export interface OutgoingOptions {
  database: Database;
  drafts: Drafts;
  checks: Pick<SendChecks, 'assertMaySend'>;
}

export class OutgoingMail {
  readonly #options: OutgoingOptions;

  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  /**
   * @param objectId the draft's message @param sendAt null to send now
   * @param key recognizes a repeated request days later, when the outcome of the first one may be forgotten. Null: none
   * @throws AppError not-found if there is no such draft; validation-failed or domain-not-verified if the draft cannot be sent as it is;
   * already-exists if a message was sent with the key, and is forgotten or a draft again
   */
  async send(
    mailbox: MailboxKey,
    objectId: string,
    sendAt: Date | null,
    key: string | null,
  ): Promise<DraftRow> {
    const { database, drafts, checks } = this.#options;
    const sentId = key === null ? null : await findSentKey(database, mailbox, key);
    if (sentId !== null) return sentBefore(await findDraft(database, mailbox, { id: sentId }));
    const before = await findDraft(database, mailbox, { objectId });
    // The client retries the request, because it did not get the first response.
    if (before !== null && isQueuedOrSent(before)) return before;
    const undoMs = (await undoSeconds(database, mailbox)) * 1_000;
    const time = timeOf(sendAt, undoMs);
    await checks.assertMaySend(mailbox, await drafts.open(mailbox, objectId));
    const sent = await retryingConflicts(() =>
      database.transaction().execute(async (tx) => {
        if (!(await lockForWriting(tx, mailbox))) throw noDraft();
        const row = await findDraft(tx, mailbox, { objectId });
        // A request with the same key waits for the lock. After it, the key is known.
        const knownId = key === null ? null : await findSentKey(tx, mailbox, key);
        if (knownId !== null)
          return { row: sentBefore(await findDraft(tx, mailbox, { id: knownId })), committed: () => {} };
        if (row === null) throw noDraft();
        if (isQueuedOrSent(row)) return { row, committed: () => {} };
        if (key !== null) await recordSentKey(tx, row, key);
        await refuseTooMany(tx, mailbox);
        const taken = await drafts.takeOut(tx, mailbox, objectId);
        if (taken === null) throw noDraft();
        const values = {
          sendsAt: time ?? new Date(clock.nowMs() + undoMs),
          isScheduled: time !== null,
          // From now on, the composer may use its client id for another draft.
          client: row.id,
          problem: null,
          attempts: 0,
        };
        await updating(tx, row).set(values).execute();
        return { row: { ...row, ...values }, committed: taken.committed };
      }),
    );
    sent.committed();
    return sent.row;
  }

  /** Messages waiting to be sent, and messages that were sent or rejected recently. */
  async list({ projectId, mailboxId }: MailboxKey): Promise<DraftRow[]> {
    const rows = await this.#options.database
      .selectFrom('drafts')
      .selectAll()
      .where('projectId', '=', projectId)
      .where('mailboxId', '=', mailboxId)
      .where((row) => row.or([row('sendsAt', 'is not', null), row('problem', 'is not', null)]))
      .orderBy('sendsAt')
      .limit(MAX_OUTGOING * 2)
      .execute();
    return rows as DraftRow[];
  }

  /**
   * Cancels a waiting message.
   * @returns the draft, also if the message was already canceled
   * @throws AppError bad-request if the message has been sent; not-found
   */
  async cancel(mailbox: MailboxKey, id: string): Promise<StoredDraft> {
    const { database, drafts } = this.#options;
    const before = await findDraft(database, mailbox, { id });
    if (before === null) throw noOutgoing();
    if (before.sentAt !== null) throw isSent();
    if (before.sendsAt !== null) await this.#withdraw(mailbox, before);
    const row = await findDraft(database, mailbox, { id });
    if (row?.objectId === null || row === null) throw noOutgoing();
    return drafts.open(mailbox, row.objectId);
  }

  async #withdraw(mailbox: MailboxKey, before: DraftRow): Promise<void> {
    const { database, drafts } = this.#options;
    const message = await drafts.messageOf(mailbox, before);
    const committed = await retryingConflicts(() =>
      database.transaction().execute(async (tx) => {
        if (!(await lockForWriting(tx, mailbox))) throw noOutgoing();
        const row = await findDraft(tx, mailbox, { id: before.id });
        if (row === null) throw noOutgoing();
        if (row.sentAt !== null) throw isSent();
        if (row.sendsAt === null) return () => {};
        return (await drafts.putBack(tx, mailbox, row, message)).committed;
      }),
    );
    committed();
  }
}

/** The time for which sending can be undone: the choice of the owner, or the default. */
export async function undoSeconds(database: Database, { projectId, mailboxId }: MailboxKey): Promise<number> {
  const row = await database
    .selectFrom('mailboxPreferences')
    .select('undoSeconds')
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .executeTakeFirst();
  return row?.undoSeconds ?? TIMINGS.undoMs / 1_000;
}

/** @param row the row of the draft that was sent with the key; null: its outcome is forgotten */
function sentBefore(row: DraftRow | null): DraftRow {
  if (row !== null && isQueuedOrSent(row)) return row;
  throw new AppError('already-exists', 'This message was sent before, or its sending was undone.');
}

export function updating(
  tx: DatabaseTransaction,
  { projectId, mailboxId, id }: Pick<DraftRow, 'projectId' | 'mailboxId' | 'id'>,
) {
  return tx
    .updateTable('drafts')
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .where('id', '=', id);
}

function timeOf(sendAt: Date | null, undoMs: number): Date | null {
  if (sendAt === null) return null;
  const ahead = sendAt.getTime() - clock.nowMs();
  if (ahead < -PAST_IS_NOW_MS)
    throw validationError({ send_at: 'This time is in the past. Choose a future time.' });
  if (ahead > MAX_SCHEDULE_MS)
    throw validationError({ send_at: `Choose a time within the next ${MAX_SCHEDULE_DAYS} days.` });
  // A send time that leaves no time for canceling means now.
  return ahead < undoMs ? null : sendAt;
}

const WAITING = columnsOf({ waiting: 'int4' });

async function refuseTooMany(tx: DatabaseTransaction, { projectId, mailboxId }: MailboxKey): Promise<void> {
  const { rows } = await WAITING.sql`
    select count(*)::int as waiting from drafts
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and sends_at is not null and sent_at is null`.execute(
    tx,
  );
  if ((rows[0]?.waiting ?? 0) >= MAX_OUTGOING)
    throw validationError({
      draft: `${MAX_OUTGOING} messages are already waiting to be sent. Cancel some first.`,
    });
}

function noOutgoing(): AppError {
  return new AppError('not-found', 'This message is no longer waiting to be sent.');
}

function isSent(): AppError {
  return new AppError('bad-request', 'It is too late to cancel: the message has been sent.');
}
