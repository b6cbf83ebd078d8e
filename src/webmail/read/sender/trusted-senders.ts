/**
 * Senders whose remote images are always shown. A user's correspondents are private, so changes are not in the audit log of the
 * organization.
 */
import { columnsOf } from '../../../db/columns.ts';
import type { Database } from '../../../db/database.ts';
import { AppError } from '../../../model/app-error.ts';
import * as clock from '../../../model/clock.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';

const MAX_SENDERS = 1_000;

const TRUSTED = columnsOf({ count: 'int4' });

/** @throws AppError bad-request if the mailbox has too many trusted senders */
export async function trustSender(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  address: string,
  isTrusted: boolean,
): Promise<void> {
  const row = { projectId, mailboxId, address: address.toLowerCase() };
  if (!isTrusted) {
    await database
      .deleteFrom('trustedSenders')
      .where('projectId', '=', projectId)
      .where('mailboxId', '=', mailboxId)
      .where('address', '=', row.address)
      .execute();
    return;
  }
  const { rows } = await TRUSTED.sql`
    select count(*)::int as count from trusted_senders where project_id = ${projectId} and mailbox_id = ${mailboxId}`.execute(
    database,
  );
  if ((rows[0]?.count ?? 0) >= MAX_SENDERS)
    throw new AppError(
      'bad-request',
      `A mailbox can trust at most ${MAX_SENDERS} senders. Remove some first.`,
    );
  await database
    .insertInto('trustedSenders')
    .values({ ...row, createdAt: clock.now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Lists the trusted senders, sorted by address. */
export async function listTrustedSenders(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
): Promise<{ address: string; createdAt: Date }[]> {
  return database
    .selectFrom('trustedSenders')
    .select(['address', 'createdAt'])
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .orderBy('address')
    .limit(MAX_SENDERS)
    .execute();
}

export async function isTrustedSender(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  address: string,
): Promise<boolean> {
  const row = await database
    .selectFrom('trustedSenders')
    .select('address')
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .where('address', '=', address.toLowerCase())
    .executeTakeFirst();
  return row !== undefined;
}
