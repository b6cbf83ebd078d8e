/** Warns owners whose mailboxes are nearly full (docs/mailboxes.md, Quota). */
import { prepareInRow } from '../blobs/blobs.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import * as clock from '../model/clock.ts';
import { newUuid } from '../model/ids.ts';
import { formatDate } from '../rfc/message/format-date.ts';
import { appendBatch, type NewMessage } from './append.ts';
import { readMessageFacts } from './facts/message-facts.ts';
import { MAILBOX_KEY } from './lock-mailboxes.ts';
import { notifyChanged } from './notices.ts';

/** Warnings per transaction. */
const BATCH = 100;

const DUE = columnsOf({
  ...MAILBOX_KEY.kinds,
  localPart: 'text',
  domain: 'text',
  quotaMb: 'int4',
  warnedPercent: 'int2',
});

/**
 * Stores due warnings in Inboxes. The same transaction marks them as no longer due, so an owner gets one warning each time the usage
 * reaches a threshold.
 */
export async function* deliveringWarnings(database: Database): AsyncGenerator<number, void, void> {
  for (;;) {
    const { rows } = await DUE.sql`
      select s.project_id, s.mailbox_id, m.local_part, m.domain, m.quota_mb, s.warned_percent
      from mailbox_states s join mailboxes m on m.project_id = s.project_id and m.id = s.mailbox_id
      where s.warning_due order by s.project_id, s.mailbox_id limit ${BATCH}`.execute(database);
    if (rows.length === 0) return;
    const results = await appendBatch(database, rows.map(warningFor), { areWarnings: true });
    const notified = results.flatMap((result, at) =>
      result.outcome === 'stored' ? [`${rows[at]?.mailboxId}/${result.folderId}`] : [],
    );
    // No warning was stored: other processes have already delivered these warnings, or they cannot be delivered.
    if (notified.length === 0) return;
    await notifyChanged(database, notified);
    yield notified.length;
  }
}

function warningFor({
  projectId,
  mailboxId,
  localPart,
  domain,
  quotaMb,
  warnedPercent,
}: RowOf<typeof DUE>): NewMessage {
  const bytes = Buffer.from(
    [
      // RFC 3834, section 5: prevents vacation replies to this warning.
      'Auto-Submitted: auto-generated',
      `Date: ${formatDate(clock.now())}`,
      `From: postmaster@${domain}`,
      `To: ${address(localPart)}@${domain}`,
      `Message-ID: <${newUuid()}@${domain}>`,
      `Subject: Your mailbox is ${warnedPercent}% full`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
      '',
      `Your mailbox has used ${warnedPercent}% of its ${quotaMb} MB.`,
      'When it is full, it cannot receive mail: sending servers retry for a day, then return the message to its sender.',
      '',
      'To free up space, delete mail, large messages first. Mail in Trash and Junk counts too.',
      '',
    ].join('\r\n'),
  );
  return {
    projectId,
    mailboxId,
    folder: { role: 'inbox' },
    blob: prepareInRow(projectId, bytes),
    facts: readMessageFacts(bytes),
    flags: 0,
    keywords: [],
    internalDate: null,
    authentication: null,
    spam: null,
    mayExceedQuota: true,
  };
}

/** Formats a local part as a dot-atom if possible, otherwise quoted (RFC 5322, section 3.4.1). */
function address(localPart: string): string {
  return /^[\w!#$%&'*+/=?^`{|}~.\-\u0080-\uffff]+$/.test(localPart)
    ? localPart
    : `"${localPart.replace(/["\\]/g, '\\$&')}"`;
}
