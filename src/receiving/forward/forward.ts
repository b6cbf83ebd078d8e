/** A message that goes on to somewhere else, as it is handed to the queue (docs/rules.md, Forwarding). */
import { hash } from 'node:crypto';
import { columnsOf } from '../../db/columns.ts';
import type { StoredBlob } from '../../blobs/stored-blob.ts';
import type { Database } from '../../db/database.ts';
import { MAIL_FROM_LABEL } from '../../domains/expected-records.ts';
import { DAY_MS } from '../../model/day.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt, messageIdOf, newUuid } from '../../model/ids.ts';
import type { ReturnPaths } from '../../reports/return-path.ts';
import type { NewSubmission } from '../../sending/submit/insert-submissions.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';

/** Messages that one mailbox forwards within a day. */
const MAX_FORWARDS = 1_000;

/** Whether the mailbox may forward one more. Several at once may all find room for the last one. */
export async function mayForward(database: Database, { projectId, mailboxId }: MailboxKey): Promise<boolean> {
  const { rows } = await columnsOf({ count: 'int4' }).sql`
    select count(*)::int as count from (
      select from submissions
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and kind in ('forward', 'moved')
        and id >= ${firstUuidAt(new Date(clock.nowMs() - DAY_MS))}
      limit ${MAX_FORWARDS}) f`.execute(database);
  return (rows[0]?.count ?? 0) < MAX_FORWARDS;
}

export interface ForwardedMail {
  /** Of the mailbox that forwards it. */
  mailbox: MailboxKey & { address: string };
  /** With our fields in front. */
  blob: StoredBlob;
  /** `hashBody` of its body; null: not known. */
  bodyHash: Buffer | null;
  messageId: string | null;
  isUtf8: boolean;
  reversePath: string;
  /** By which whoever brings the message knows it; null: it is never brought again. */
  objectId: string | null;
  /** By which it is the same, whichever of the mailboxes here passed it on; null: none did. */
  content: string | null;
  /** The mailbox has no copy of it. */
  isOnlyCopy: boolean;
}

export function forwardTo(
  target: string,
  { mailbox, blob, bodyHash, messageId, isUtf8, reversePath, objectId, content, isOnlyCopy }: ForwardedMail,
  returnPaths: Pick<ReturnPaths, 'mintForForward'>,
): NewSubmission {
  const { projectId, mailboxId, address } = mailbox;
  const submissionId = newUuid();
  const fromDomain = address.slice(address.lastIndexOf('@') + 1);
  return {
    projectId,
    submissionId,
    mailboxId,
    kind: isOnlyCopy ? 'moved' : 'forward',
    // A report is not reported on (RFC 5321, section 4.5.5).
    reversePath:
      reversePath === ''
        ? ''
        : returnPaths.mintForForward({ projectId, submissionId }, `${MAIL_FROM_LABEL}.${fromDomain}`),
    fromAddress: address,
    fromDomain,
    messageId: messageId ?? messageIdOf(submissionId, fromDomain),
    blob,
    ...(bodyHash !== null && { bodyHash }),
    isUtf8,
    envelopeId: null,
    returns: null,
    recipients: [{ address: target, notify: 0, originalRecipient: null }],
    // Handed over inside again, it is the same message. Attack: mailboxes that all forward to each other, so that one message
    // comes to each by thousands of ways, and would go on from there as often. Where there is no other copy nothing is left out.
    key:
      objectId === null
        ? null
        : {
            login: mailboxId,
            fingerprint: hash(
              'sha256',
              `forward ${isOnlyCopy ? objectId : (content ?? objectId)} ${target}`,
              'buffer',
            ),
          },
  };
}
