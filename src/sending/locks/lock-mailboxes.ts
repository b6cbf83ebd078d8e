/** Locks mailboxes for sending and notifies their owners with a message in the Inbox. */
import { prepareInRow } from '../../blobs/blobs.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { namedMailbox } from '../../mailboxes/named-mailbox.ts';
import type { LockReason } from '../../model/lock-reasons.ts';
import * as clock from '../../model/clock.ts';
import { newUuid } from '../../model/ids.ts';
import { compose } from '../../rfc/message/compose.ts';
import { appendWithin, type NewMessage } from '../../store/append.ts';
import { readMessageFacts } from '../../store/facts/message-facts.ts';
import { MAILBOX_KEY, type MailboxKey, makeFolders } from '../../store/lock-mailboxes.ts';
import { notifyChanged } from '../../store/notices.ts';
import type { SendingRecord } from './thresholds.ts';

/** A mailbox to lock. */
export interface Locking extends MailboxKey {
  reason: LockReason;
  record: SendingRecord;
}

const LOCKS = rowsOf<Locking>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  reason: ['text', ({ reason }) => reason],
});

const LOCKED = columnsOf({ ...MAILBOX_KEY.kinds, localPart: 'text', domain: 'text' });
type Locked = RowOf<typeof LOCKED>;

/**
 * Writes the locks and the messages to the owners in one transaction.
 * @param locking mailboxes in the order of their keys
 * @returns the mailboxes that were not locked before
 */
export async function lockForSending(database: Database, locking: readonly Locking[]): Promise<Locking[]> {
  if (locking.length === 0) return [];
  await makeFolders(database, locking);
  const { locked, places } = await database.transaction().execute(async (tx) => {
    const { rows } = await LOCKED.sql`
      with held as (
        select m.project_id, m.id as mailbox_id, m.local_part, m.domain, k.reason
        from ${LOCKS.from(locking)} join mailboxes m on m.project_id = k.project_id and m.id = k.mailbox_id
        order by m.project_id, m.id for key share of m
      ), locked as (
        insert into sending_locks as l (project_id, mailbox_id, locked_at, reason, counts_from)
        select project_id, mailbox_id, now(), reason, '-infinity' from held
        on conflict (project_id, mailbox_id) do update set locked_at = now(), reason = excluded.reason
        where l.locked_at is null
        returning l.project_id, l.mailbox_id
      )
      select h.project_id, h.mailbox_id, h.local_part, h.domain
      from locked join held h using (project_id, mailbox_id) order by 1, 2`.execute(tx);
    const byId = new Map(locking.map((one) => [one.mailboxId, one]));
    const told = rows.flatMap((row) => {
      const one = byId.get(row.mailboxId);
      return one === undefined ? [] : [{ row, one }];
    });
    const results = await appendWithin(
      tx,
      told.map(({ row, one }) => messageFor(row, one)),
    );
    return {
      locked: told.map(({ one }) => one),
      places: results.flatMap((result, at) =>
        result.outcome === 'stored' ? [`${told[at]?.row.mailboxId}/${result.folderId}`] : [],
      ),
    };
  });
  if (places.length > 0) await notifyChanged(database, places);
  return locked;
}

function messageFor(
  { projectId, mailboxId, localPart, domain }: Locked,
  { reason, record }: Locking,
): NewMessage {
  const { header, body } = compose({
    from: namedMailbox('postmaster', domain, null),
    to: [namedMailbox(localPart, domain, null)],
    cc: [],
    replyTo: [],
    subject: 'Your mailbox is locked for sending',
    html: null,
    text: [
      'Your mailbox cannot send mail until an administrator unlocks it. You still receive mail.',
      '',
      `Why: ${WHY[reason](record)}`,
      'Other mail servers would soon reject all mail from your domain because of that. Mail that was still waiting is not sent but returned to you.',
      '',
      'What to do:',
      '- If you did not send that mail, someone else knows your password. Change it, and delete app passwords that you do not recognize.',
      '- If you did, check the addresses: write only to people who want to hear from you, and remove addresses that bounced.',
      '- Then ask your administrator to unlock the mailbox with: posthorn mailbox unlock',
      '',
    ].join('\n'),
    // This field prevents vacation replies to this message (RFC 3834, section 5).
    headers: [['Auto-Submitted', 'auto-generated']],
    messageId: `<${newUuid()}@${domain}>`,
    date: clock.now(),
  });
  const bytes = Buffer.concat([Buffer.from(`Return-Path: <>\r\n${header}\r\n`), body]);
  return {
    projectId,
    mailboxId,
    folder: { role: 'inbox' },
    blob: prepareInRow(projectId, bytes),
    facts: readMessageFacts(bytes),
    flags: 0,
    keywords: [],
    internalDate: clock.now(),
    authentication: null,
    spam: null,
    mayExceedQuota: true,
  };
}

const WHY = {
  refused: ({ tried, refused, bounced }) =>
    `mail to ${refused + bounced} of the ${tried} recipients that you wrote to in the last 24 hours was rejected: the address does not exist, or its server did not accept the message.`,
  complained: ({ complained, triedInWeek }) =>
    `${complained} of ${triedInWeek} recipients that you wrote to in the last 7 days reported your mail as spam.`,
} satisfies Readonly<Record<LockReason, (record: SendingRecord) => string>>;
