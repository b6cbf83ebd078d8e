/** Stores notices in the Inbox of the mailbox that sent the mail. */
import { type RawBuilder, sql } from 'kysely';
import { prepareInRow } from '../../blobs/blobs.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import * as clock from '../../model/clock.ts';
import { type AppendResult, appendWithin, type NewMessage } from '../../store/append.ts';
import type { MessageFacts } from '../../store/facts/message-facts.ts';
import { makeFolders, type MailboxKey } from '../../store/lock-mailboxes.ts';
import { notifyChanged } from '../../store/notices.ts';
import { type DueSubmission, IS_ENDED, SUBMISSION_REF, WAITS } from './find-notices.ts';

export type NoticeAbout = 'failure' | 'success' | 'delay';

/** A notice, and the recipients that the notice reports on. */
export interface ComposedNotice {
  about: NoticeAbout;
  of: DueSubmission;
  /** Null: no notice is sent. */
  message: { bytes: Buffer; facts: MessageFacts } | null;
}

const NOTIFIED_SUBMISSION = columnsOf({ ...SUBMISSION_REF.kinds, recipientIndex: 'int2' });
type NotifiedSubmission = RowOf<typeof NOTIFIED_SUBMISSION>;

const NOTIFIED = rowsOf<NotifiedSubmission>('t', {
  project_id: ['uuid', ({ projectId }) => projectId],
  submission_id: ['uuid', ({ submissionId }) => submissionId],
  recipient_index: ['int2', ({ recipientIndex }) => recipientIndex],
});

/** For each recipient state: the condition on the recipient's row, and the update after a notice has reported on the recipient. */
const DONE = {
  ended: { which: IS_ENDED, set: sql`notice_due = false` },
  waiting: { which: WAITS, set: sql`delay_told_at = now()` },
} satisfies Record<string, { which: RawBuilder<unknown>; set: RawBuilder<unknown> }>;

/**
 * Stores the messages and marks their recipients as reported, in one transaction. If another process has locked a recipient of a notice in
 * the meantime, this notice is left for the next pass.
 * @returns the result of each notice, in order; null if the notice was left
 */
export async function fileNotices(
  database: Database,
  made: readonly ComposedNotice[],
  state: keyof typeof DONE,
): Promise<(AppendResult['outcome'] | 'no-notice' | null)[]> {
  const notified = made.filter(({ message }) => message !== null);
  if (notified.length > 0)
    await makeFolders(
      database,
      notified.map(({ of }): MailboxKey => of),
    );
  const { results, places } = await database.transaction().execute(async (tx) => {
    // protection: told by who holds the recipients
    const locked = await holdRecipients(tx, made.flatMap(recipientsOf), DONE[state].which);
    const filed = made.filter((notice) => recipientsOf(notice).every((one) => locked.has(nameOf(one))));
    const messages = filed.flatMap((notice) => messageFor(notice) ?? []);
    const appended = await appendWithin(tx, messages);
    await sql`
      update submission_recipients r set ${DONE[state].set} from ${NOTIFIED.from(filed.flatMap(recipientsOf))}
      where r.project_id = t.project_id and r.submission_id = t.submission_id and r.recipient_index = t.recipient_index`.execute(
      tx,
    );
    let at = 0;
    const byNotice = new Map(
      filed.map((notice) => [notice, notice.message === null ? null : appended[at++]]),
    );
    return {
      results: made.map((notice) => {
        const result = byNotice.get(notice);
        return result === undefined ? null : (result?.outcome ?? 'no-notice');
      }),
      places: [...byNotice].flatMap(([{ of }, result]) =>
        result?.outcome === 'stored' ? [`${of.mailboxId}/${result.folderId}`] : [],
      ),
    };
  });
  if (places.length > 0) await notifyChanged(database, places);
  return results;
}

function recipientsOf({ of }: ComposedNotice): NotifiedSubmission[] {
  const { projectId, submissionId, recipients } = of;
  return recipients.map(({ recipientIndex }) => ({ projectId, submissionId, recipientIndex }));
}

function nameOf({ submissionId, recipientIndex }: NotifiedSubmission): string {
  return `${submissionId} ${recipientIndex}`;
}

/**
 * Locks the recipients. Recipients that another process has locked or reported on are left out.
 * @returns the names of the locked recipients (`nameOf`)
 */
async function holdRecipients(
  tx: DatabaseTransaction,
  recipients: readonly NotifiedSubmission[],
  which: RawBuilder<unknown>,
): Promise<Set<string>> {
  const { rows } = await NOTIFIED_SUBMISSION.sql`
    select r.project_id, r.submission_id, r.recipient_index
    from ${NOTIFIED.from(recipients)} join submission_recipients r using (project_id, submission_id, recipient_index)
    where ${which} order by 1, 2, 3 for update of r skip locked`.execute(tx);
  return new Set(rows.map(nameOf));
}

function messageFor({ of, message }: ComposedNotice): NewMessage | null {
  if (message === null) return null;
  const { projectId, mailboxId } = of;
  return {
    projectId,
    mailboxId,
    folder: { role: 'inbox' },
    blob: prepareInRow(projectId, message.bytes),
    facts: message.facts,
    flags: 0,
    keywords: [],
    internalDate: clock.now(),
    authentication: null,
    spam: null,
    // Stored even in a full mailbox, because without the notice the owner would send repeatedly, or believe that the message arrived.
    mayExceedQuota: true,
  };
}
