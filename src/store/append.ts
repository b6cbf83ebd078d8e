/**
 * Messages come into mailboxes. One transaction for many hand-overs: it locks the mailboxes, looks what they have room for, and
 * writes bytes, index, counters, UIDs and MODSEQs in one statement.
 */
import { sql } from 'kysely';
import { recordingStorage, storageOf } from '../accounts/usage.ts';
import { type KeptBlob, keepingBlobs } from '../blobs/kept-blob.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import type { FolderRole } from '../model/folder-roles.ts';
import { newUuid } from '../model/ids.ts';
import { PLAN_LIMITS, PLANS } from '../model/plans.ts';
import type { MessageFacts } from './facts/message-facts.ts';
import { FLAG, MAX_FOLDER_KEYWORDS, normalKeywords } from './flags.ts';
import { type LockedMailbox, lockMailboxes, type MailboxKey } from './lock-mailboxes.ts';
import { noteRoom, writingStates } from './room.ts';
import { joinThread, threadLinksOf } from './threads.ts';

/** A folder by its id, or one of those that every mailbox has. */
type FolderRef = { id: string } | { role: FolderRole };

/** One message for one folder. */
export interface NewMessage extends MailboxKey {
  folder: FolderRef;
  /** Of the same project. */
  blob: KeptBlob;
  facts: MessageFacts;
  /** Bits of `FLAG`. */
  flags: number;
  keywords: readonly string[];
  /** Null: now (RFC 9051, section 2.3.3). */
  internalDate: Date | null;
  /** What is known of who sent it, and what speaks for spam; null: it did not come by SMTP. */
  authentication: object | null;
  spam: object | null;
}

export type AppendResult =
  | {
      outcome: 'stored';
      folderId: string;
      uidValidity: number;
      uid: number;
      modseq: number;
      objectId: string;
    }
  /**
   * `over-quota`: of the mailbox. `over-storage`: of the project's plan. `bad-keywords`: they are none, or more than a message
   * or its folder may have (docs/mailboxes.md, Limits).
   */
  | { outcome: 'over-quota' | 'over-storage' | 'no-mailbox' | 'no-folder' | 'bad-keywords' };

const MAX_UID = 2 ** 31 - 1;

/** Of whom storage is limited: their rows are locked before mailboxes, so that nobody adds to what is counted. */
const LIMITED_PLANS = PLANS.filter((plan) => PLAN_LIMITS[plan].storageBytes !== null);

interface FolderRow extends MailboxKey {
  id: string;
  role: FolderRole | null;
  uidValidity: number;
  uidNext: number;
  highestModseq: number;
  keywords: string[];
  /** What this transaction adds. */
  added: { messages: number; unseen: number; octets: number };
}

interface Admitted extends NewMessage {
  folderRow: FolderRow;
  uid: number;
  modseq: number;
  objectId: string;
  threadId: string;
  internalDate: Date;
  saveDate: Date;
}

/** Everything that a batch counts on, as it is under the locks. */
interface Ground {
  mailboxes: Map<string, LockedMailbox>;
  folders: FolderRow[];
  /** Bytes, by project; one without a limit is not in it. */
  storageLeft: Map<string, number>;
  /** Thread by mailbox and link. */
  threads: Map<string, Map<string, string>>;
}

/**
 * Writes a batch in one transaction. What finds no room is left out, and the rest is stored.
 * @returns one result for each message, in order
 */
export async function appendBatch(database: Database, batch: readonly NewMessage[]): Promise<AppendResult[]> {
  return database.transaction().execute(async (tx) => {
    const ground = await lockGround(tx, batch);
    const admitted: Admitted[] = [];
    const results = batch.map((message): AppendResult => {
      const admission = admit(message, ground);
      if ('outcome' in admission) return admission;
      admitted.push(admission);
      const { uid, modseq, objectId, folderRow } = admission;
      return {
        outcome: 'stored',
        folderId: folderRow.id,
        uidValidity: folderRow.uidValidity,
        uid,
        modseq,
        objectId,
      };
    });
    const refused = new Set(batch.filter((_, at) => results[at]?.outcome === 'over-quota').map(mailboxOf));
    for (const mailbox of ground.mailboxes.values()) noteRoom(mailbox, refused.has(mailbox.mailboxId));
    await write(tx, ground, admitted);
    return results;
  });
}

const mailboxOf = ({ mailboxId }: MailboxKey): string => mailboxId;

async function lockGround(tx: DatabaseTransaction, batch: readonly NewMessage[]): Promise<Ground> {
  const limited = await lockLimitedProjects(tx, new Set(batch.map(({ projectId }) => projectId)));
  const keys = new Map(batch.map(({ projectId, mailboxId }) => [mailboxId, { projectId, mailboxId }]));
  const mailboxes = await lockMailboxes(tx, [...keys.values()]);
  // Statements of their own: they have to see what was committed while the locks were waited for.
  const folders = await readFolders(tx, batch);
  const threads = await readThreads(tx, batch);
  const storageLeft = new Map<string, number>();
  for (const [projectId, limit] of limited) {
    const { rows } = await sql<{ used: number }>`
      select ${storageOf(sql`${projectId}::uuid`)} as used`.execute(tx);
    storageLeft.set(projectId, limit - (rows[0]?.used ?? 0));
  }
  return { mailboxes, folders, threads, storageLeft };
}

/** @returns the limit of each, in bytes */
async function lockLimitedProjects(
  tx: DatabaseTransaction,
  projectIds: ReadonlySet<string>,
): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('projects')
    .select(['id', 'plan'])
    .where('id', 'in', [...projectIds].sort())
    .where('plan', 'in', LIMITED_PLANS)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return new Map(
    rows.map(({ id, plan }) => [id, PLAN_LIMITS[plan].storageBytes ?? Number.POSITIVE_INFINITY]),
  );
}

const WANTED = rowsOf<NewMessage>('w', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  id: ['uuid', ({ folder }) => ('id' in folder ? folder.id : null)],
  role: ['text', ({ folder }) => ('role' in folder ? folder.role : null)],
});

async function readFolders(tx: DatabaseTransaction, batch: readonly NewMessage[]): Promise<FolderRow[]> {
  const { rows } = await sql<Omit<FolderRow, 'added'>>`
    select distinct on (f.project_id, f.mailbox_id, f.id) f.project_id, f.mailbox_id, f.id, f.role,
      f.uid_validity::float8 as uid_validity, f.uid_next, f.highest_modseq::float8 as highest_modseq, f.keywords
    from ${WANTED.from(batch)} join folders f on f.project_id = w.project_id and f.mailbox_id = w.mailbox_id
      and (f.id = w.id or f.role = w.role)
    where f.name is not null`.execute(tx);
  return rows.map((row) => ({ ...row, added: { messages: 0, unseen: 0, octets: 0 } }));
}

const LINKS = rowsOf<MailboxKey & { link: string }>('l', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  link: ['uuid', ({ link }) => link],
});

async function readThreads(
  tx: DatabaseTransaction,
  batch: readonly NewMessage[],
): Promise<Map<string, Map<string, string>>> {
  const links = batch.flatMap(({ projectId, mailboxId, facts }) =>
    threadLinksOf(facts).looksFor.map((link) => ({ projectId, mailboxId, link })),
  );
  const { rows } = await sql<{ mailboxId: string; link: string; threadId: string }>`
    select mailbox_id, link, thread_id from ${LINKS.from(links)} join thread_links using (project_id, mailbox_id, link)`.execute(
    tx,
  );
  const threads = new Map(batch.map(({ mailboxId }) => [mailboxId, new Map<string, string>()]));
  for (const { mailboxId, link, threadId } of rows) threads.get(mailboxId)?.set(link, threadId);
  return threads;
}

/** Takes what the message needs of UIDs, quota and storage, or nothing. */
function admit(message: NewMessage, ground: Ground): Admitted | Exclude<AppendResult, { outcome: 'stored' }> {
  const { projectId, mailboxId, folder, blob, flags } = message;
  const mailbox = ground.mailboxes.get(mailboxId);
  if (mailbox?.projectId !== projectId) return { outcome: 'no-mailbox' };
  const folderRow = ground.folders.find(
    (row) =>
      row.mailboxId === mailboxId && ('id' in folder ? row.id === folder.id : row.role === folder.role),
  );
  if (folderRow === undefined || folderRow.uidNext === MAX_UID) return { outcome: 'no-folder' };
  const keywords = normalKeywords(message.keywords);
  const all = [...new Set([...folderRow.keywords, ...(keywords ?? [])])];
  if (keywords === null || all.length > MAX_FOLDER_KEYWORDS) return { outcome: 'bad-keywords' };
  if (mailbox.octets + blob.size > mailbox.quotaOctets) return { outcome: 'over-quota' };
  const storageLeft = ground.storageLeft.get(projectId);
  if (storageLeft !== undefined && blob.size > storageLeft) return { outcome: 'over-storage' };

  mailbox.octets += blob.size;
  if (storageLeft !== undefined) ground.storageLeft.set(projectId, storageLeft - blob.size);
  folderRow.keywords = all;
  folderRow.highestModseq += 1;
  folderRow.added.messages += 1;
  folderRow.added.octets += blob.size;
  if ((flags & FLAG.seen) === 0) folderRow.added.unseen += 1;
  const saveDate = clock.now();
  return {
    ...message,
    keywords,
    folderRow,
    uid: folderRow.uidNext++,
    modseq: folderRow.highestModseq,
    objectId: newUuid(),
    threadId: joinThread(threadLinksOf(message.facts), ground.threads.get(mailboxId) ?? new Map()),
    internalDate: message.internalDate ?? saveDate,
    saveDate,
  };
}

const ADDED = rowsOf<FolderRow>('a', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  id: ['uuid', ({ id }) => id],
  uid_next: ['int4', ({ uidNext }) => uidNext],
  highest_modseq: ['int8', ({ highestModseq }) => highestModseq],
  keywords: ['text[]', ({ keywords }) => keywords],
  messages: ['int4', ({ added }) => added.messages],
  unseen: ['int4', ({ added }) => added.unseen],
  octets: ['int8', ({ added }) => added.octets],
});

const MESSAGES = rowsOf<Admitted>('m', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  folder_id: ['uuid', ({ folderRow }) => folderRow.id],
  uid: ['int4', ({ uid }) => uid],
  modseq: ['int8', ({ modseq }) => modseq],
  flags: ['int2', ({ flags }) => flags],
  keywords: ['text[]', ({ keywords }) => keywords],
  object_id: ['uuid', ({ objectId }) => objectId],
  octets: ['int4', ({ blob }) => blob.size],
  internal_date: ['timestamptz', ({ internalDate }) => internalDate],
  save_date: ['timestamptz', ({ saveDate }) => saveDate],
});

const CONTENTS = rowsOf<Admitted>('c', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  object_id: ['uuid', ({ objectId }) => objectId],
  digest: ['bytea', ({ blob }) => blob.digest],
  octets: ['int4', ({ blob }) => blob.size],
  thread_id: ['uuid', ({ threadId }) => threadId],
  message_id: ['text', ({ facts }) => facts.messageId],
  subject: ['text', ({ facts }) => facts.subject],
  base_subject: ['text', ({ facts }) => facts.baseSubject],
  addresses: ['json', ({ facts: { from, replyTo, to, cc, bcc } }) => ({ from, replyTo, to, cc, bcc })],
  sent_at: ['timestamptz', ({ facts }) => facts.sentAt],
  preview: ['text', ({ facts }) => facts.preview],
  attachments: ['int4', ({ facts }) => facts.attachments],
  envelope: ['text', ({ facts }) => facts.envelope],
  body_structure: ['text', ({ facts }) => facts.bodyStructure],
  text: ['text', ({ facts }) => facts.text],
  authentication: ['json', ({ authentication }) => authentication],
  spam: ['json', ({ spam }) => spam],
});

const NEW_LINKS = rowsOf<MailboxKey & { link: string; threadId: string }>('t', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  link: ['uuid', ({ link }) => link],
  thread_id: ['uuid', ({ threadId }) => threadId],
});

/** Everything in one statement, with UIDs and MODSEQs that nobody else gives out while the mailboxes are locked. */
async function write(tx: DatabaseTransaction, ground: Ground, admitted: readonly Admitted[]): Promise<void> {
  const states = writingStates([...ground.mailboxes.values()]);
  if (admitted.length === 0) {
    await sql`with ${states} select`.execute(tx);
    return;
  }
  const links = admitted.flatMap(({ projectId, mailboxId, facts, threadId }) =>
    threadLinksOf(facts).isFoundBy.map((link) => ({ projectId, mailboxId, link, threadId })),
  );
  await sql`
    with ${keepingBlobs(admitted.map(({ blob }) => blob)).sql}, ${states}, folder as (
      update folders f set uid_next = a.uid_next, highest_modseq = a.highest_modseq, keywords = a.keywords::text[],
        messages = f.messages + a.messages, unseen = f.unseen + a.unseen, octets = f.octets + a.octets
      from ${ADDED.from(ground.folders.filter(({ added }) => added.messages > 0))}
      where f.project_id = a.project_id and f.mailbox_id = a.mailbox_id and f.id = a.id
    ), content as (
      insert into message_contents (${CONTENTS.names}) select ${CONTENTS.values} from ${CONTENTS.from(admitted)}
    ), thread as (
      insert into thread_links (${NEW_LINKS.names}) select ${NEW_LINKS.values} from ${NEW_LINKS.from(links)}
      on conflict do nothing
    ), ${recordingStorage(bytesByProject(admitted))}
    insert into messages (${MESSAGES.names}) select ${MESSAGES.values} from ${MESSAGES.from(admitted)}`.execute(
    tx,
  );
}

function bytesByProject(messages: readonly NewMessage[]): Map<string, number> {
  const bytes = new Map<string, number>();
  for (const { projectId, blob } of messages) bytes.set(projectId, (bytes.get(projectId) ?? 0) + blob.size);
  return bytes;
}
