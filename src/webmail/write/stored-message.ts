/** Reads the stored data and the parts of a message for replying, forwarding and editing. */
import type { Blobs } from '../../blobs/blobs.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import type { FolderRole } from '../../model/folder-roles.ts';
import type { SectionPart } from '../../rfc/imap/sections.ts';
import type { PartsReader } from '../../store/facts/parts-reader.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { STORED_MESSAGE } from '../../store/read-messages.ts';

const QUOTED_MESSAGE = columnsOf({
  objectId: 'uuid',
  digest: 'bytea',
  octets: 'int4',
  messageId: 'text?',
  ancestors: 'text[]',
  subject: 'text',
  addresses: STORED_MESSAGE.kinds.addresses,
  sentAt: 'timestamptz?',
});
export type QuotedMessage = RowOf<typeof QUOTED_MESSAGE>;

const SHARED = columnsOf({ mailboxId: 'uuid' });

/** @param role limits the search to the folder with this role @returns null if the mailbox has no such message */
export async function findStored(
  database: Database | DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  objectId: string,
  role?: FolderRole,
): Promise<QuotedMessage | null> {
  const { rows } = await QUOTED_MESSAGE.sql`
    select c.object_id, c.digest, c.octets, c.message_id, coalesce(c.ancestors, '{}') as ancestors, c.subject, c.addresses, c.sent_at
    from messages m join message_contents c using (project_id, mailbox_id, object_id)
    -- A folder without a name has been deleted together with its messages.
    join folders f on f.project_id = m.project_id and f.mailbox_id = m.mailbox_id and f.id = m.folder_id and f.name is not null
    where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.object_id = ${objectId}
      and (${role ?? null}::text is null or f.role = ${role ?? null})
    limit 1`.execute(database);
  return rows[0] ?? null;
}

/**
 * Finds a message of the mailbox, or of a mailbox that its owner can open as a member.
 * @returns the message and its mailbox; null if there is no such message
 */
export async function findReadable(
  database: Database,
  mailbox: MailboxKey,
  objectId: string,
): Promise<{ stored: QuotedMessage; mailboxId: string } | null> {
  const { projectId, mailboxId } = mailbox;
  const own = await findStored(database, mailbox, objectId);
  if (own !== null) return { stored: own, mailboxId };
  const { rows } = await SHARED.sql`
    select m.mailbox_id from mailbox_grants g
    join messages m on m.project_id = g.project_id and m.mailbox_id = g.mailbox_id and m.object_id = ${objectId}
    where g.project_id = ${projectId} and g.member_id = ${mailboxId} limit 1`.execute(database);
  const [shared] = rows;
  if (shared === undefined) return null;
  const stored = await findStored(database, { projectId, ...shared }, objectId);
  return stored === null ? null : { stored, ...shared };
}

export interface OpenMessage {
  raw: Buffer;
  root: SectionPart;
}

/** @throws AppError not-found if the bytes of the message no longer exist */
export async function openMessage(
  { blobs, parts }: { blobs: Pick<Blobs, 'open'>; parts: Pick<PartsReader, 'read'> },
  { projectId }: MailboxKey,
  { digest }: Pick<QuotedMessage, 'digest'>,
): Promise<OpenMessage> {
  const raw = await (await blobs.open(projectId, digest))?.read();
  if (raw === null || raw === undefined)
    throw new AppError('not-found', 'The content of this message no longer exists.');
  return { raw, root: await parts.read(raw) };
}
