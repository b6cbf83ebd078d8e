/**
 * The folders that mail apps should show (RFC 9051, section 6.3.7). A folder stores its subscription as a flag. If a subscribed folder is
 * deleted or renamed, its name is stored separately, because the server must not remove a name from the list.
 */
import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { normalFolderName } from './folder-name.ts';
import type { MailboxKey } from './lock-mailboxes.ts';

/** A mailbox stores at most this many subscribed names without a folder. */
const MAX_NAMES = 1_000;

const SUBSCRIBED = columnsOf({ name: 'text' });

/** @returns subscribed names without a folder, in the order of code points */
export async function readSubscriptions(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
): Promise<string[]> {
  const { rows } = await SUBSCRIBED.sql`
    select name from subscriptions where project_id = ${projectId} and mailbox_id = ${mailboxId} order by name`.execute(
    database,
  );
  return rows.map(({ name }) => name);
}

const KNOWN = columnsOf({ isKnown: 'bool' });

/** Subscribes or unsubscribes a name. @returns false if the name to subscribe has no folder */
export async function subscribe(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  name: string,
  subscribed: boolean,
): Promise<boolean> {
  const path = normalFolderName(name);
  if (path === null) return false;
  const { rows } = await KNOWN.sql`
    with folder as (
      update folders set subscribed = ${subscribed}
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and name = ${path} returning id
    ), kept as (
      delete from subscriptions
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and name = ${path} and not ${subscribed}::bool
    )
    select exists (select from folder) or exists (
      select from subscriptions where project_id = ${projectId} and mailbox_id = ${mailboxId} and name = ${path}) as is_known`.execute(
    database,
  );
  return !subscribed || rows[0]?.isKnown === true;
}

/** Stores the names of subscribed folders that were deleted or renamed. */
export async function keepSubscriptions(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  await sql`
    insert into subscriptions (project_id, mailbox_id, name)
    select ${projectId}, ${mailboxId}, name from unnest(${names}::text[]) name
    limit greatest(0, ${MAX_NAMES} - (
      select count(*) from subscriptions where project_id = ${projectId} and mailbox_id = ${mailboxId}))
    on conflict do nothing`.execute(tx);
}

/** Subscribes folders whose new names are on the list of stored names. */
export async function subscribeNamed(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  names: readonly string[],
): Promise<void> {
  await sql`
    with kept as (
      delete from subscriptions
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and name = any (${names}::text[]) returning name
    )
    update folders f set subscribed = true from kept
    where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.name = kept.name`.execute(tx);
}

/**
 * Subscribes or unsubscribes a folder of another mailbox, under the name that the folder has for the subscriber.
 * @returns false if the mailbox has too many subscribed names
 */
export async function subscribeShared(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  name: string,
  subscribed: boolean,
): Promise<boolean> {
  if (!subscribed) {
    await sql`
      delete from subscriptions where project_id = ${projectId} and mailbox_id = ${mailboxId} and name = ${name}`.execute(
      database,
    );
    return true;
  }
  await database.transaction().execute((tx) => keepSubscriptions(tx, { projectId, mailboxId }, [name]));
  return (await readSubscriptions(database, { projectId, mailboxId })).includes(name);
}
