/** Senders whose mail a mailbox rejects (docs/rules.md, Block list). */
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { parseDomain } from '../../rfc/address/domain.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { changeFilters } from './change-filters.ts';

const MAX_BLOCKS = 1_000;
/** The maximum length of a domain name (RFC 1035, section 2.3.4). */
const MAX_DOMAIN = 253;

/** An address or a domain in the stored form: normal form, lower case. @throws AppError validation-failed */
function senderFrom(text: string): string {
  const domain = parseDomain(text.trim().replace(/^@/, ''));
  if (typeof domain === 'string') return domain;
  const parsed = parseMailbox(text);
  if ('error' in parsed || parsed.displayName !== null)
    throw validationError({ sender: 'must be an address or a domain' });
  return parsed.address.toLowerCase();
}

/** Lists the blocked senders in alphabetical order. */
export async function listBlocks(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
): Promise<{ sender: string; createdAt: Date }[]> {
  return database
    .selectFrom('mailboxBlocks')
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
export async function addBlock(database: Database, mailbox: MailboxKey, text: string): Promise<string> {
  const sender = senderFrom(text);
  const { projectId, mailboxId } = mailbox;
  await changeFilters(database, mailbox, { action: 'mailbox.block', after: { sender } }, async (tx) => {
    const { rows } = await columnsOf({ count: 'int4' }).sql`
      select count(*)::int as count from mailbox_blocks
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and sender <> ${sender}`.execute(tx);
    if ((rows[0]?.count ?? 0) >= MAX_BLOCKS)
      throw validationError({
        sender: `a mailbox can block at most ${MAX_BLOCKS} senders: unblock one first`,
      });
    await sql`
      insert into mailbox_blocks (project_id, mailbox_id, sender, created_at)
      values (${projectId}, ${mailboxId}, ${sender}, ${clock.now()}) on conflict do nothing`.execute(tx);
  });
  return sender;
}

/**
 * @returns the sender in its stored form
 * @throws AppError validation-failed, not-found
 */
export async function removeBlock(database: Database, mailbox: MailboxKey, text: string): Promise<string> {
  const sender = senderFrom(text);
  const { projectId, mailboxId } = mailbox;
  await changeFilters(database, mailbox, { action: 'mailbox.unblock', before: { sender } }, async (tx) => {
    const { numAffectedRows } = await sql`
      delete from mailbox_blocks
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and sender = ${sender}`.execute(tx);
    if (numAffectedRows === 0n) throw new AppError('not-found', 'The mailbox does not block this sender.');
  });
  return sender;
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
