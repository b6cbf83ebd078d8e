/**
 * Handles forwarded messages that failed (docs/rules.md, Forwarding). A failure counts against its target, which is turned off
 * after too many failures. The message returns to the mailbox if there is no other copy. The sender gets no bounce, because the return
 * path may be forged.
 */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import { Blobs, prepareInRow } from '../../blobs/blobs.ts';
import type { ObjectStore } from '../../blobs/object-store.ts';
import { type Database, type DatabaseTransaction, isDatabaseAway } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { firstUuidAt, newUuid, NIL_UUID, timeOf } from '../../model/ids.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { compose } from '../../rfc/message/compose.ts';
import { appendWithin, type NewMessage } from '../../store/append.ts';
import { FactsReader } from '../../store/facts/facts-reader.ts';
import { readMessageFacts } from '../../store/facts/message-facts.ts';
import { makeFolders } from '../../store/lock-mailboxes.ts';
import { notifyChanged } from '../../store/notices.ts';
import { changingFilters } from '../rules/change-filters.ts';

const BATCH = 100;
/** The number of consecutive failures that turns a target off, over any period. */
const MAX_FAILURES = 10;
/** The number of consecutive failures that turns a target off if no message has reached the target for `LONG_MS`. */
const MAX_FAILURES_FOR_LONG = 3;
const LONG_MS = 3 * 24 * 3_600_000;
const MAX_REPLY = 1_000;

const FAILED_FORWARD = columnsOf({
  projectId: 'uuid',
  mailboxId: 'uuid',
  submissionId: 'uuid',
  kind: shaped<'forward' | 'moved'>('text'),
  digest: 'bytea',
  /** The address of the mailbox that forwarded the message. */
  address: 'text',
  target: 'text',
  reply: 'text',
  failedAt: 'timestamptz',
});
type FailedForward = RowOf<typeof FAILED_FORWARD>;

/**
 * Runs in only one process at a time.
 * @param database a connection outside any transaction
 * @throws the last error from messages that could not be returned, after all others were handled. The next run retries these messages.
 */
export async function* processingFailedForwards(
  database: Database,
  objects: ObjectStore,
): AsyncGenerator<number, void, void> {
  const blobs = new Blobs(database, objects);
  await using facts = new FactsReader();
  let after = { projectId: NIL_UUID, submissionId: NIL_UUID };
  let failure: unknown = null;
  for (;;) {
    // Failures of deleted mailboxes are dropped.
    await sql`
      delete from failed_forwards f where not exists (
        select from submissions s join mailboxes m on m.project_id = s.project_id and m.id = s.mailbox_id
        where s.project_id = f.project_id and s.id = f.submission_id)`.execute(database);
    const { rows } = await FAILED_FORWARD.sql`
      select s.project_id, s.mailbox_id, s.id as submission_id, s.kind, s.digest, s.from_address as address, r.address as target,
        left(coalesce(r.detail ->> 'diagnostic', r.detail ->> 'detail', ''), ${MAX_REPLY}::int) as reply, f.failed_at
      from failed_forwards f
      join submissions s on s.project_id = f.project_id and s.id = f.submission_id
      join submission_recipients r on r.project_id = s.project_id and r.submission_id = s.id and r.recipient_index = 0
      where (f.project_id, f.submission_id) > (${after.projectId}::uuid, ${after.submissionId}::uuid)
      order by f.project_id, f.submission_id limit ${BATCH}`.execute(database);
    const last = rows.at(-1);
    if (last === undefined) break;
    for (const row of rows) {
      try {
        const message = row.kind === 'moved' ? await returnedMessage(row, blobs, facts) : null;
        await makeFolders(database, [row]);
        const changed = await retryingConflicts(() =>
          database.transaction().execute((tx) => settle(tx, row, message)),
        );
        if (changed.length > 0) await notifyChanged(database, changed);
      } catch (error) {
        if (isDatabaseAway(error)) throw error;
        // A message whose bytes cannot be read must not hold up the mail of all others.
        failure = error;
      }
    }
    after = last;
    yield rows.length;
  }
  if (failure !== null) throw failure;
}

/** @returns the folders with new messages, in the form that `notifyChanged` expects */
async function settle(
  tx: DatabaseTransaction,
  row: FailedForward,
  message: NewMessage | null,
): Promise<string[]> {
  const { projectId, mailboxId, submissionId } = row;
  const { numAffectedRows } = await sql`
    delete from failed_forwards where project_id = ${projectId} and submission_id = ${submissionId}`.execute(
    tx,
  );
  if (numAffectedRows === 0n) return [];
  const isOffNow = await countFailure(tx, row);
  const messages = [
    ...(message === null ? [] : [message]),
    ...(isOffNow && (await changingFilters(tx, row)) ? [noticeFor(row)] : []),
  ];
  if (messages.length === 0) return [];
  const results = await appendWithin(tx, messages);
  return results.flatMap((result) =>
    result.outcome === 'stored' ? [`${mailboxId}/${result.folderId}`] : [],
  );
}

/** @returns whether this failure turns the target off */
async function countFailure(tx: DatabaseTransaction, row: FailedForward): Promise<boolean> {
  const { projectId, mailboxId, target, reply, failedAt } = row;
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and target = ${target}`;
  const { rows } = await columnsOf({ failures: 'int4', since: 'timestamptz', offSince: 'timestamptz?' }).sql`
    select failures, since, off_since from forward_failures where ${isOf} for update`.execute(tx);
  const [before] = rows;
  const isRow = before !== undefined && !(await hasArrivedSince(tx, row, before.since));
  const failures = isRow ? before.failures + 1 : 1;
  const since = isRow ? before.since : failedAt;
  const isTooMuch =
    failures >= MAX_FAILURES ||
    (failures >= MAX_FAILURES_FOR_LONG && failedAt.getTime() - since.getTime() >= LONG_MS);
  const offSince = before?.offSince ?? (isTooMuch ? failedAt : null);
  await sql`
    insert into forward_failures (project_id, mailbox_id, target, failures, since, off_since, reply)
    values (${projectId}, ${mailboxId}, ${target}, ${failures}, ${since}, ${offSince}, ${reply})
    on conflict (project_id, mailbox_id, target) do update set failures = excluded.failures, since = excluded.since,
      off_since = excluded.off_since, reply = excluded.reply`.execute(tx);
  return isTooMuch && (before?.offSince ?? null) === null;
}

async function hasArrivedSince(
  tx: DatabaseTransaction,
  { projectId, mailboxId, target }: FailedForward,
  since: Date,
): Promise<boolean> {
  const { rows } = await columnsOf({ has: 'bool' }).sql`
    select exists (
      select from submissions s join submission_recipients r on r.project_id = s.project_id and r.submission_id = s.id
      where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and s.id >= ${firstUuidAt(new Date(since.getTime() - LONG_MS))}
        and s.kind in ('forward', 'moved') and r.address = ${target} and r.outcome in ('delivered', 'relayed')
        and r.ended_at > ${since}) as has`.execute(tx);
  return rows[0]?.has === true;
}

/** @returns null if the bytes no longer exist */
async function returnedMessage(
  { projectId, mailboxId, submissionId, digest }: FailedForward,
  blobs: Blobs,
  facts: FactsReader,
): Promise<NewMessage | null> {
  const bytes = await (await blobs.open(projectId, digest))?.read();
  if (bytes === undefined || bytes === null) return null;
  return {
    ...IN_INBOX,
    projectId,
    mailboxId,
    blob: await blobs.prepare(projectId, bytes),
    facts: await facts.read(bytes),
    internalDate: timeOf(submissionId),
    // The object ID prevents a second copy if the message is returned again.
    objectId: submissionId,
  };
}

const IN_INBOX = {
  folder: { role: 'inbox' },
  flags: 0,
  keywords: [],
  authentication: null,
  spam: null,
  mayExceedQuota: true,
} as const;

function noticeFor({ projectId, mailboxId, address, target, reply }: FailedForward): NewMessage {
  const to = parseMailbox(address);
  if ('error' in to) throw new Error('the address of a mailbox does not parse');
  const id = newUuid();
  const message = compose({
    from: { ...to, address: `postmaster@${to.domain}`, localPart: 'postmaster', unicode: false },
    to: [to],
    cc: [],
    replyTo: [],
    subject: `Forwarding to ${target} was turned off`,
    text: [
      `Mail for ${address} was forwarded to ${target}, but several messages in a row could not be delivered.`,
      'Forwarding to this address is now turned off. New mail stays in this mailbox.',
      '',
      reply === '' ? 'The receiving server gave no reason.' : `The last error was: ${reply}`,
      '',
      'Once the address works again, set up forwarding again.',
      '',
    ].join('\n'),
    html: null,
    // RFC 3834, section 5: prevents automatic replies.
    headers: [['Auto-Submitted', 'auto-generated']],
    messageId: `<${id}@${to.domain}>`,
    date: timeOf(id),
  });
  const bytes = Buffer.concat([Buffer.from(`${message.header}\r\n`), message.body]);
  return {
    ...IN_INBOX,
    projectId,
    mailboxId,
    blob: prepareInRow(projectId, bytes),
    facts: readMessageFacts(bytes),
    internalDate: null,
  };
}
