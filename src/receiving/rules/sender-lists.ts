/**
 * The senders whose mail a mailbox rejects, and those whose proven mail never goes to Junk, in one mailbox or in all of a project
 * (docs/rules.md).
 */
import { sql } from 'kysely';
import { recordChange } from '../../accounts/audit.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { encodeId } from '../../model/ids.ts';
import { parseDomain } from '../../rfc/address/domain.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { changeFilters } from './change-filters.ts';

export type SenderList = 'blocked' | 'safe';

const MAX_SENDERS = 1_000;
/** The maximum length of a domain name (RFC 1035, section 2.3.4). */
const MAX_DOMAIN = 253;

const LISTS = {
  blocked: {
    table: 'mailboxBlocks',
    added: 'mailbox.block',
    removed: 'mailbox.unblock',
    full: `a mailbox can block at most ${MAX_SENDERS} senders: unblock one first`,
    missing: 'The mailbox does not block this sender.',
  },
  safe: {
    table: 'mailboxSafeSenders',
    added: 'mailbox.add-safe-sender',
    removed: 'mailbox.remove-safe-sender',
    full: `a mailbox can have at most ${MAX_SENDERS} safe senders: remove one first`,
    missing: 'This is not a safe sender of the mailbox.',
  },
} as const;

/** A sender as it is listed. */
export interface ListedSender {
  sender: string;
  createdAt: Date;
}

/** An address or a domain in the stored form: normal form, lower case. @throws AppError validation-failed */
function senderFrom(text: string): string {
  const domain = parseDomain(text.trim().replace(/^@/, ''));
  if (typeof domain === 'string') return domain;
  const parsed = parseMailbox(text);
  if ('error' in parsed || parsed.displayName !== null)
    throw validationError({ sender: 'must be an address or a domain' });
  return parsed.address.toLowerCase();
}

/** Lists the senders in alphabetical order. */
export function listSenders(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  list: SenderList,
): Promise<ListedSender[]> {
  return database
    .selectFrom(LISTS[list].table)
    .select(['sender', 'createdAt'])
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .orderBy('sender')
    .execute();
}

/**
 * @returns the sender in its stored form
 * @throws AppError validation-failed, not-found
 */
export async function addSender(
  database: Database,
  mailbox: MailboxKey,
  list: SenderList,
  text: string,
): Promise<string> {
  const sender = senderFrom(text);
  const { projectId, mailboxId } = mailbox;
  const { table, added, full } = LISTS[list];
  await changeFilters(database, mailbox, { action: added, after: { sender } }, async (tx) => {
    const others = tx
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('projectId', '=', projectId)
      .where('mailboxId', '=', mailboxId)
      .where('sender', '<>', sender);
    if (Number((await others.executeTakeFirstOrThrow()).count) >= MAX_SENDERS)
      throw validationError({ sender: full });
    await tx
      .insertInto(table)
      .values({ projectId, mailboxId, sender, createdAt: clock.now() })
      .onConflict((on) => on.doNothing())
      .execute();
    if (list === 'safe') await forgetSpam(tx, mailbox, sender);
  });
  return sender;
}

/** A safe sender is no longer marked as spam: the latest of the owner's actions counts. */
async function forgetSpam(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  sender: string,
): Promise<void> {
  await sql`
    delete from mailbox_senders
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and standing = 'spam'
      and (sender = ${sender} or right(sender, length(${sender}) + 1) in ('@' || ${sender}, '.' || ${sender}))`.execute(
    tx,
  );
}

/**
 * @returns the sender in its stored form
 * @throws AppError validation-failed, not-found
 */
export async function removeSender(
  database: Database,
  mailbox: MailboxKey,
  list: SenderList,
  text: string,
): Promise<string> {
  const sender = senderFrom(text);
  const { projectId, mailboxId } = mailbox;
  const { table, removed, missing } = LISTS[list];
  await changeFilters(database, mailbox, { action: removed, before: { sender } }, async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom(table)
      .where('projectId', '=', projectId)
      .where('mailboxId', '=', mailboxId)
      .where('sender', '=', sender)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) throw new AppError('not-found', missing);
  });
  return sender;
}

/** Lists the safe senders of all mailboxes of a project, in alphabetical order. */
export function listSafeSendersOfProject(database: Database, projectId: string): Promise<ListedSender[]> {
  return database
    .selectFrom('projectSafeSenders')
    .select(['sender', 'createdAt'])
    .where('projectId', '=', projectId)
    .orderBy('sender')
    .execute();
}

/** @throws AppError validation-failed, not-found */
export async function addSafeSenderOfProject(
  database: Database,
  projectId: string,
  text: string,
): Promise<void> {
  const sender = senderFrom(text);
  await changeProject(
    database,
    projectId,
    { action: 'project.add-safe-sender', after: { sender } },
    async (tx) => {
      const { rows } = await columnsOf({ count: 'int4' }).sql`
      select count(*)::int as count from project_safe_senders
      where project_id = ${projectId} and sender <> ${sender}`.execute(tx);
      if ((rows[0]?.count ?? 0) >= MAX_SENDERS)
        throw validationError({
          sender: `a project can have at most ${MAX_SENDERS} safe senders: remove one first`,
        });
      await tx
        .insertInto('projectSafeSenders')
        .values({ projectId, sender, createdAt: clock.now() })
        .onConflict((on) => on.doNothing())
        .execute();
    },
  );
}

/** @throws AppError validation-failed, not-found */
export async function removeSafeSenderOfProject(
  database: Database,
  projectId: string,
  text: string,
): Promise<void> {
  const sender = senderFrom(text);
  await changeProject(
    database,
    projectId,
    { action: 'project.remove-safe-sender', before: { sender } },
    async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom('projectSafeSenders')
        .where('projectId', '=', projectId)
        .where('sender', '=', sender)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) throw new AppError('not-found', 'This is not a safe sender of the project.');
    },
  );
}

/** Changes the list of a project. Changes of one project are serialized. @throws AppError not-found */
async function changeProject(
  database: Database,
  projectId: string,
  entry: { action: `project.${string}`; before?: { sender: string }; after?: { sender: string } },
  change: (tx: DatabaseTransaction) => Promise<void>,
): Promise<void> {
  await database.transaction().execute(async (tx) => {
    const project = await tx
      .selectFrom('projects')
      .select('name')
      .where('id', '=', projectId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (project === undefined) throw new AppError('not-found', 'There is no such project.');
    await change(tx);
    const target = encodeId('prj', projectId);
    await recordChange(tx, { of: { projectId }, ...entry, target, targetName: project.name });
  });
}

/** Whether one of the addresses is blocked, or is at a blocked domain or one of its subdomains. */
export function isBlocked(blocks: ReadonlySet<string>, addresses: readonly string[]): boolean {
  return addresses.some((address) => {
    const key = address.toLowerCase();
    if (blocks.has(key)) return true;
    const domain = key.slice(key.lastIndexOf('@') + 1);
    // No domain name is longer than `MAX_DOMAIN`.
    if (domain.length > MAX_DOMAIN) return false;
    for (let at = 0; ; ) {
      if (blocks.has(domain.slice(at))) return true;
      const dot = domain.indexOf('.', at);
      if (dot === -1) return false;
      at = dot + 1;
    }
  });
}
