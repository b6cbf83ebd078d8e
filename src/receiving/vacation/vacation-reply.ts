/** Composes vacation replies (RFC 3834, section 3; RFC 5230, section 5). */
import { sql } from 'kysely';
import { prepareInRow } from '../../blobs/blobs.ts';
import type { DatabaseTransaction } from '../../db/database.ts';
import { DAY_MS } from '../../model/day.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt, messageIdOf, newUuid, timeOf } from '../../model/ids.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { compose } from '../../rfc/message/compose.ts';
import type { NewSubmission } from '../../sending/submit/insert-submissions.ts';
import type { MessageFacts } from '../../store/facts/message-facts.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { ReplyRecipient } from './may-send-reply.ts';
import type { Vacation } from './vacation.ts';

/** Maximum number of replies that a mailbox sends within a day. */
const MAX_REPLIES = 200;
const MAX_REFERENCES = 20;
const MAX_SUBJECT = 900;

export interface DueVacationReply {
  submission: NewSubmission;
  /** The senders to record, in lower case: the author, and the return path if it differs. */
  senders: readonly string[];
  days: number;
}

export interface ReplyingMailbox extends MailboxKey {
  address: string;
  displayName: string | null;
}

export function isAway({ startsAt, endsAt }: Vacation, nowMs: number): boolean {
  return (startsAt === null || startsAt.getTime() <= nowMs) && (endsAt === null || nowMs < endsAt.getTime());
}

export function composeVacationReply(
  { subject, text, html, days }: Vacation,
  { projectId, mailboxId, address, displayName }: ReplyingMailbox,
  to: ReplyRecipient,
  original: Pick<MessageFacts, 'subject' | 'messageId' | 'references'>,
): DueVacationReply {
  const from = parseMailbox(address);
  if ('error' in from) throw new Error('the address of a mailbox does not parse');
  const submissionId = newUuid();
  const messageId = messageIdOf(submissionId, from.domain);
  const references = [...original.references.slice(-MAX_REFERENCES), original.messageId ?? ''].filter(
    (id) => id !== '',
  );
  const message = compose({
    from: { ...from, displayName: displayName === '' ? null : displayName },
    to: [to.shown],
    cc: [],
    replyTo: [],
    subject: subject ?? `Auto: ${original.subject}`.slice(0, MAX_SUBJECT).toWellFormed(),
    text,
    html,
    headers: [
      ['Auto-Submitted', 'auto-replied'],
      ['X-Auto-Response-Suppress', 'All'],
      ...(original.messageId === null ? [] : [['In-Reply-To', original.messageId] as const]),
      ...(references.length === 0 ? [] : [['References', [...new Set(references)].join(' ')] as const]),
    ],
    messageId,
    date: timeOf(submissionId),
  });
  const bytes = Buffer.concat([Buffer.from(`${message.header}\r\n`), message.body]);
  return {
    senders: [...new Set([to.shown, to.address].map((one) => one.address.toLowerCase()))].sort(),
    days,
    submission: {
      projectId,
      submissionId,
      mailboxId,
      kind: 'vacation',
      // RFC 3834, section 3.3: prevents automatic replies to the reply.
      reversePath: '',
      fromAddress: from.address,
      fromDomain: from.domain,
      messageId,
      blob: prepareInRow(projectId, bytes),
      isUtf8: message.smtputf8 || to.address.unicode,
      envelopeId: null,
      returns: null,
      recipients: [{ address: to.address.address, notify: 0, originalRecipient: null }],
      key: null,
    },
  };
}

/**
 * Records a reply, unless the sender got a reply recently or the mailbox has reached its daily limit. Attack: mail with one return path
 * and many authors would send all replies to one victim. Concurrent callers can exceed the limit slightly.
 */
export async function recordVacationReply(
  tx: DatabaseTransaction,
  { senders, days, submission: { projectId, mailboxId } }: DueVacationReply,
): Promise<boolean> {
  const nowMs = clock.nowMs();
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId}`;
  const before = new Date(nowMs - days * DAY_MS);
  const { numAffectedRows } = await sql`
    insert into vacation_answers (project_id, mailbox_id, sender, answered_at)
    select ${projectId}, ${mailboxId}, sender, ${new Date(nowMs)} from unnest(${senders}::text[]) sender
    where not exists (
        select from vacation_answers where ${isOf} and sender = any (${senders}::text[]) and answered_at > ${before})
      and (select count(*) from (
        select from submissions where ${isOf} and kind = 'vacation' and id >= ${firstUuidAt(new Date(nowMs - DAY_MS))}
        limit ${MAX_REPLIES}) a) < ${MAX_REPLIES}
    on conflict (project_id, mailbox_id, sender) do update set answered_at = excluded.answered_at
      where vacation_answers.answered_at <= ${before}`.execute(tx);
  return numAffectedRows === BigInt(senders.length);
}
