/** A forwarded message, in the form that the queue accepts (docs/rules.md, Forwarding). */
import { hash } from 'node:crypto';
import { columnsOf } from '../../db/columns.ts';
import type { PreparedBlob } from '../../blobs/prepared-blob.ts';
import type { Database } from '../../db/database.ts';
import { MAIL_FROM_LABEL } from '../../domains/expected-records.ts';
import { DAY_MS } from '../../model/day.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt, messageIdOf, newUuid } from '../../model/ids.ts';
import type { ReturnPaths } from '../../reports/return-path.ts';
import type { NewSubmission } from '../../sending/submit/insert-submissions.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';

/** Maximum number of messages that one mailbox may forward within a day. */
const MAX_FORWARDS = 1_000;

/** Whether the mailbox may forward one more message. Concurrent callers can exceed the limit slightly. */
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
  mailbox: MailboxKey & { address: string };
  /** The message, including our trace fields. */
  blob: PreparedBlob;
  /** The result of `hashBody` for the body; null if unknown. */
  bodyHash: Buffer | null;
  messageId: string | null;
  isUtf8: boolean;
  reversePath: string;
  /** The sending side's id of the message, which is the same for each delivery attempt. Null if the message is delivered only once. */
  objectId: string | null;
  /** Identifies the content, regardless of the local mailbox that forwarded it. Null if no local mailbox forwarded it. */
  content: string | null;
  /** Whether this is the only copy of the message, because the mailbox keeps none. */
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
    // No delivery report is sent about a report (RFC 5321, section 4.5.5).
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
    // A message that is delivered locally a second time is not forwarded again. Attack: if many mailboxes forward to each other, one
    // message reaches each mailbox by thousands of paths and would be forwarded for each path. A message without another copy is always
    // forwarded.
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
