/** Writes the rows of mailbox mail in one statement: idempotency key, message, recipients, queue rows and bytes. */
import { sql } from 'kysely';
import { type PreparedBlob, writingBlobs } from '../../blobs/prepared-blob.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { timeOf } from '../../model/ids.ts';
import type { SubmissionKind } from '../../model/submission-kinds.ts';
import { IS_SANDBOX } from '../../queue/provider-kind.ts';
import { PRIORITY_BOOST_S } from './priority-boosts.ts';

export interface NewSubmissionRecipient {
  /** The normalized forward-path. */
  address: string;
  /** Bits of `NOTIFY`. */
  notify: number;
  /** The ORCPT parameter as the client sent it (RFC 3461, section 4.2). */
  originalRecipient: string | null;
}

export interface NewSubmission {
  projectId: string;
  /** UUIDv7 with the time of acceptance. The queue stores this id as `emailId`. */
  submissionId: string;
  mailboxId: string;
  kind: SubmissionKind;
  /**
   * Null: reports are sent to the mailbox. Empty: no reports are sent. Otherwise the reverse-path as the client sent it, without brackets.
   */
  reversePath: string | null;
  /** The normalized address in the From field. */
  fromAddress: string;
  /** The domain whose keys sign the message, in A-labels. */
  fromDomain: string;
  /** The Message-ID, with angle brackets. */
  messageId: string;
  /** The outgoing message without the signature, with CRLF line ends. */
  blob: PreparedBlob;
  /** Whether the bytes are stored separately and sealed. Then only the digest and the size of `blob` are written. Default: false. */
  isSealed?: boolean;
  /** `hashBody` of the message's body (src/rfc/dkim). Default: each attempt computes the hash. */
  bodyHash?: Buffer;
  /** Whether the message needs SMTPUTF8 (RFC 6531). */
  isUtf8: boolean;
  /** The parameters ENVID (`envelopeId`) and RET (`returns`) of RFC 3461, sections 4.3 and 4.4. */
  envelopeId: string | null;
  returns: 'full' | 'headers' | null;
  /** The recipients, without duplicate addresses. */
  recipients: readonly NewSubmissionRecipient[];
  /** Whether the message is sent before waiting mail from the project's other mailboxes (priority-boosts.ts). Default: false. */
  hasPriorityBoost?: boolean;
  /** The idempotency key: a message with the same key within a day is not sent again. Null: no check. */
  key: SubmissionKey | null;
}

const SUBMISSION_KEY = columnsOf({
  /** The UUID of the mailbox or API key that signed in. */
  login: 'uuid',
  /** SHA-256 of the message and its envelope. */
  fingerprint: 'bytea',
});
type SubmissionKey = RowOf<typeof SUBMISSION_KEY>;

/** How long an idempotency key is stored. */
const IDEMPOTENCY_WINDOW = sql.raw("interval '24 hours'");
/** The number of keys deleted per statement. */
const FORGOTTEN_KEYS = 10_000;

const KEYS = rowsOf<NewSubmission & { key: SubmissionKey }>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  login: ['uuid', ({ key }) => key.login],
  fingerprint: ['bytea', ({ key }) => key.fingerprint],
  submission_id: ['uuid', ({ submissionId }) => submissionId],
  created_at: ['timestamptz', ({ submissionId }) => timeOf(submissionId)],
});

const SUBMISSIONS = rowsOf<NewSubmission>('s', {
  project_id: ['uuid', ({ projectId }) => projectId],
  id: ['uuid', ({ submissionId }) => submissionId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  kind: ['text', ({ kind }) => kind],
  reverse_path: ['text', ({ reversePath }) => reversePath],
  from_address: ['text', ({ fromAddress }) => fromAddress],
  from_domain: ['text', ({ fromDomain }) => fromDomain],
  message_id: ['text', ({ messageId }) => messageId],
  digest: ['bytea', ({ blob }) => blob.digest],
  body_hash: ['bytea', ({ bodyHash }) => bodyHash ?? null],
  octets: ['int4', ({ blob }) => blob.size],
  is_utf8: ['bool', ({ isUtf8 }) => isUtf8],
  envelope_id: ['text', ({ envelopeId }) => envelopeId],
  returns: ['text', ({ returns }) => returns],
  recipients: ['int4', ({ recipients }) => recipients.length],
  created_at: ['timestamptz', ({ submissionId }) => timeOf(submissionId)],
});

interface SubmissionRecipientRow extends NewSubmissionRecipient {
  submission: NewSubmission;
  recipientIndex: number;
}

const RECIPIENTS = rowsOf<SubmissionRecipientRow>('r', {
  project_id: ['uuid', ({ submission }) => submission.projectId],
  submission_id: ['uuid', ({ submission }) => submission.submissionId],
  recipient_index: ['int2', ({ recipientIndex }) => recipientIndex],
  address: ['text', ({ address }) => address],
  notify: ['int2', ({ notify }) => notify],
  original_recipient: ['text', ({ originalRecipient }) => originalRecipient],
});

const QUEUED = rowsOf<SubmissionRecipientRow>('q', {
  project_id: ['uuid', ({ submission }) => submission.projectId],
  email_id: ['uuid', ({ submission }) => submission.submissionId],
  recipient_index: ['int2', ({ recipientIndex }) => recipientIndex],
  address: ['text', ({ address }) => address],
  octets: ['int4', ({ submission }) => submission.blob.size],
  stream: ['stream', () => 'mailbox'],
});

const FREE = rowsOf<string>('f', { id: ['uuid', (id) => id] });
const AHEAD = rowsOf<string>('a', { id: ['uuid', (id) => id] });

const WON_KEY = columnsOf({ submissionId: 'uuid' });

/**
 * Writes a batch, in the caller's transaction or in a new one.
 * @returns for each message, whether it was written. If not, its idempotency key belongs to an earlier message, which is committed by now
 */
export async function insertSubmissions(
  database: Database | DatabaseTransaction,
  batch: readonly NewSubmission[],
): Promise<boolean[]> {
  if (batch.length === 0) return [];
  const first = firstOfTwins(batch);
  const rows = first.flatMap((submission) =>
    submission.recipients.map((recipient, recipientIndex) => ({ ...recipient, submission, recipientIndex })),
  );
  const keyed = first.filter((submission) => submission.key !== null) as (NewSubmission & {
    key: SubmissionKey;
  })[];
  const free = new Set(first.filter(({ key }) => key === null).map(({ submissionId }) => submissionId));
  const ahead = first
    .filter(({ hasPriorityBoost }) => hasPriorityBoost)
    .map(({ submissionId }) => submissionId);
  const isWon = (id: string) =>
    sql`${sql.ref(id)} in (select submission_id from won union all select id from free)`;
  const { rows: won } = await WON_KEY.sql`
    with ${writingBlobs(first.filter(({ isSealed }) => isSealed !== true).map(({ blob }) => blob)).sql}, won as (
      insert into submission_keys (${KEYS.names}) select ${KEYS.values} from ${KEYS.from(keyed)}
      -- Ordered, so that two transactions never deadlock.
      order by project_id, login, fingerprint
      on conflict (project_id, login, fingerprint) do update
        set submission_id = excluded.submission_id, created_at = excluded.created_at
        where submission_keys.created_at < now() - ${IDEMPOTENCY_WINDOW}
      returning submission_id
    ), free as (
      select id from ${FREE.from([...free])}
    ), submission as (
      insert into submissions (${SUBMISSIONS.names}) select ${SUBMISSIONS.values} from ${SUBMISSIONS.from(first)}
      where ${isWon('s.id')}
    ), recipient as (
      insert into submission_recipients (${RECIPIENTS.names}) select ${RECIPIENTS.values} from ${RECIPIENTS.from(rows)}
      where ${isWon('r.submission_id')}
    ), queued as (
      insert into queue (${QUEUED.names}, is_sandbox, next_attempt_at)
      select ${QUEUED.values}, ${IS_SANDBOX}, case when q.email_id in (select id from ${AHEAD.from(ahead)})
        then now() - ${sql.lit(PRIORITY_BOOST_S)} * interval '1 second' else now() end
      from ${QUEUED.from(rows)}
      where ${isWon('q.email_id')}
    )
    select submission_id from won`.execute(database);
  const written = new Set([...free, ...won.map(({ submissionId }) => submissionId)]);
  return batch.map(({ submissionId }) => written.has(submissionId));
}

/** Leaves out all but the first submission of each key, because one statement cannot write a row twice. */
function firstOfTwins(batch: readonly NewSubmission[]): NewSubmission[] {
  const seen = new Set<string>();
  return batch.filter(({ projectId, key }) => {
    if (key === null) return true;
    const name = nameOf({ projectId, ...key });
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

const KEY_OF_LOGIN = columnsOf({ ...SUBMISSION_KEY.kinds, projectId: 'uuid' });
type KeyOfLogin = RowOf<typeof KEY_OF_LOGIN>;
const FOUND_KEY = columnsOf({ ...KEY_OF_LOGIN.kinds, ...WON_KEY.kinds });

/** A string that identifies the key. */
export function nameOf({ projectId, login, fingerprint }: KeyOfLogin): string {
  return `${projectId} ${login} ${fingerprint.toString('hex')}`;
}

const KEY_QUERIES = rowsOf<KeyOfLogin>('w', {
  project_id: ['uuid', ({ projectId }) => projectId],
  login: ['uuid', ({ login }) => login],
  fingerprint: ['bytea', ({ fingerprint }) => fingerprint],
});

/** The submissions that the keys belong to, by `nameOf`. Unused and expired keys are not in the map. */
export async function findByKeys(
  database: Database | DatabaseTransaction,
  keys: readonly KeyOfLogin[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const { rows } = await FOUND_KEY.sql`
    select project_id, login, fingerprint, submission_id
    from ${KEY_QUERIES.from(keys)} join submission_keys using (project_id, login, fingerprint)
    where created_at >= now() - ${IDEMPOTENCY_WINDOW}`.execute(database);
  return new Map(rows.map((row) => [nameOf(row), row.submissionId]));
}

/**
 * Frees the keys of submissions that failed for every recipient. No recipient has received the mail, and the sender got a notice that may
 * advise sending it again. The message that is sent again must not count as a repetition.
 * @returns the names of the freed keys, by `nameOf`
 */
export async function freeFailedKeys(
  database: Database | DatabaseTransaction,
  keys: readonly KeyOfLogin[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const { rows } = await KEY_OF_LOGIN.sql`
    delete from submission_keys k using ${KEY_QUERIES.from(keys)}
    where k.project_id = w.project_id and k.login = w.login and k.fingerprint = w.fingerprint
      and exists (
        select from submission_recipients r where r.project_id = k.project_id and r.submission_id = k.submission_id)
      and not exists (
        select from submission_recipients r
        where r.project_id = k.project_id and r.submission_id = k.submission_id and r.outcome is distinct from 'failed')
    returning k.project_id, k.login, k.fingerprint`.execute(database);
  return rows.map(nameOf);
}

/** Deletes expired keys, except keys that another transaction is claiming. */
export async function forgetSubmissionKeys(database: Database): Promise<void> {
  for (let deleted = FORGOTTEN_KEYS; deleted === FORGOTTEN_KEYS; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from submission_keys where ctid = any (array(
        select ctid from submission_keys where created_at < now() - ${IDEMPOTENCY_WINDOW}
        limit ${FORGOTTEN_KEYS} for update skip locked
      ))`.execute(database);
    deleted = Number(numAffectedRows);
  }
}
