/** Changes the identities of a mailbox. `identities.ts` reads them. */
import { sql } from 'kysely';
import { type AuditFields, recordChange, recordDifferences } from '../../accounts/audit.ts';
import { MAX_IDENTITIES, type SaveIdentity } from '../../contract/mail/identities.ts';
import { uuidArray } from '../../db/arrays.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { Mailboxes } from '../../mailboxes/mailboxes.ts';
import { mayWrite, mayWriteFrom, type OwnAddresses, ownAddresses } from '../../mailboxes/own-addresses.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { sanitizeOutgoing, withSources } from './clean-html.ts';
import { signatureOf } from './identities.ts';
import { lockMailboxRow } from './lock-mailbox-row.ts';
import { pinUploads, uploadsIn } from './pinned-uploads.ts';
import { uploadsAddress } from './uploads-address.ts';

/** The fields of a main identity that was never changed, as in the audit log. */
const AT_FIRST: AuditFields = { reply_to: null, bcc_self: false, is_default: false, signature_length: 0 };
const SIZE = columnsOf({ octets: 'int8' });
const MAX_PICTURE_BYTES = 1024 * 1024;
const CONTROLS = /\p{Cc}/u;

export interface OwnIdentitiesOptions {
  database: Database;
  mailboxes: Pick<Mailboxes, 'update'>;
}

export class OwnIdentities {
  readonly #options: OwnIdentitiesOptions;

  constructor(options: OwnIdentitiesOptions) {
    this.#options = options;
  }

  /** @throws AppError validation-failed, not-found */
  async create(mailbox: MailboxKey, body: SaveIdentity): Promise<void> {
    await this.#write(mailbox, newUuid(), body, 'new');
  }

  /** @throws AppError validation-failed, not-found */
  async change(mailbox: MailboxKey, id: string, body: SaveIdentity): Promise<void> {
    if (id !== mailbox.mailboxId) {
      if ((await findRow(this.#options.database, mailbox, id)) === undefined) throw noIdentity();
      await this.#write(mailbox, id, body, 'stored');
      return;
    }
    const faults = faultsOf(body);
    if (Object.keys(faults).length > 0) throw validationError(faults);
    // The name and the signature of the mailbox have one definition, so their owner changes the same columns as the API.
    const { projectId, mailboxId } = mailbox;
    const signature = await cleanSignature(this.#options.database, mailbox, body);
    const prefix = uploadsAddress(mailboxId);
    // HTML that was set through the API stays as it is until its owner changes the signature.
    const isSame = signature === (await this.#mainSignature(mailbox));
    await this.#options.mailboxes.update(projectId, mailboxId, {
      display_name: body.name?.trim() ?? '',
      ...(!isSame && {
        signature_html: signature === null ? '' : withSources(signature, (upload) => `${prefix}${upload}`),
      }),
    });
    await this.#write(mailbox, id, body, 'main');
  }

  async #mainSignature({ projectId, mailboxId }: MailboxKey): Promise<string | null> {
    const row = await this.#options.database
      .selectFrom('mailboxes')
      .select('signatureHtml')
      .where('projectId', '=', projectId)
      .where('id', '=', mailboxId)
      .executeTakeFirst();
    return signatureOf(row?.signatureHtml ?? null, mailboxId);
  }

  /** @throws AppError not-found */
  async remove(mailbox: MailboxKey, id: string): Promise<void> {
    const { projectId, mailboxId } = mailbox;
    await this.#options.database.transaction().execute(async (tx) => {
      const name = await lockMailboxRow(tx, mailbox);
      const before = id === mailboxId ? undefined : await findRow(tx, mailbox, id);
      if (before === undefined) throw noIdentity();
      await tx
        .deleteFrom('mailboxIdentities')
        .where('projectId', '=', projectId)
        .where('mailboxId', '=', mailboxId)
        .where('id', '=', id)
        .execute();
      await pinUploads(tx, mailbox);
      await recordChange(tx, { ...changeOf(mailbox, name, 'delete'), before });
    });
  }

  async #write(
    mailbox: MailboxKey,
    id: string,
    body: SaveIdentity,
    kind: 'new' | 'stored' | 'main',
  ): Promise<void> {
    const { database } = this.#options;
    const { projectId, mailboxId } = mailbox;
    const isMain = kind === 'main';
    const own = await ownAddresses(database, projectId, mailboxId);
    const faults = { ...faultsOf(body), ...(!isMain && addressFaults(body.address, own)) };
    if (Object.keys(faults).length > 0) throw validationError(faults);
    const signature = await cleanSignature(database, mailbox, body);
    const values = {
      address: isMain ? null : body.address.trim(),
      displayName: isMain || body.name?.trim() === '' ? null : (body.name?.trim() ?? null),
      signatureHtml: isMain ? null : signature,
      replyTo: body.reply_to?.trim() || null,
      bccSelf: body.bcc_self,
      isDefault: !isMain && body.is_default,
      uploads: signature === null ? [] : uploadsIn(signature),
    };
    await database.transaction().execute(async (tx) => {
      const name = await lockMailboxRow(tx, mailbox);
      const before = await findRow(tx, mailbox, id);
      if (kind === 'stored' && before === undefined) throw noIdentity();
      if (kind === 'new') await refuseTooMany(tx, mailbox);
      if (body.is_default)
        await clearDefault(tx, mailbox, isMain ? (own[0]?.address ?? '') : body.address, own);
      await tx
        .insertInto('mailboxIdentities')
        .values({ projectId, mailboxId, id, ...values })
        .onConflict((conflict) => conflict.columns(['projectId', 'mailboxId', 'id']).doUpdateSet(values))
        .execute();
      await pinUploads(tx, mailbox);
      const after = (await findRow(tx, mailbox, id)) ?? {};
      if (before === undefined && !isMain)
        await recordChange(tx, { ...changeOf(mailbox, name, 'create'), after });
      else await recordDifferences(tx, changeOf(mailbox, name, 'change'), before ?? AT_FIRST, after);
    });
  }
}

function changeOf(
  { projectId, mailboxId }: MailboxKey,
  targetName: string,
  verb: 'create' | 'change' | 'delete',
) {
  const target = encodeId('mbx', mailboxId);
  return { of: { projectId }, action: `mailbox.${verb}-identity`, target, targetName } as const;
}

/** The fields for the audit log, which has only the length of a signature. Undefined if the mailbox has no such identity. */
async function findRow(
  tx: Database | DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  id: string,
): Promise<AuditFields | undefined> {
  const row = await tx
    .selectFrom('mailboxIdentities')
    .select(['address', 'displayName', 'replyTo', 'bccSelf', 'isDefault', 'signatureHtml'])
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    address: row.address,
    display_name: row.displayName,
    reply_to: row.replyTo,
    bcc_self: row.bccSelf,
    is_default: row.isDefault,
    signature_length: row.signatureHtml?.length ?? 0,
  };
}

async function refuseTooMany(tx: DatabaseTransaction, { projectId, mailboxId }: MailboxKey): Promise<void> {
  const { count } = await tx
    .selectFrom('mailboxIdentities')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .where('id', '<>', mailboxId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_IDENTITIES)
    throw validationError({ address: `A mailbox can have ${MAX_IDENTITIES} identities. Delete one first.` });
}

/** Only one identity of an address is its default. */
async function clearDefault(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  address: string,
  own: OwnAddresses,
): Promise<void> {
  const rows = await tx
    .selectFrom('mailboxIdentities')
    .select(['id', 'address'])
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .where('isDefault', '=', true)
    .execute();
  const same = rows.filter((row) => isSame(row.address ?? '', address, own));
  await sql`
    update mailbox_identities set is_default = false
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = any (${uuidArray(same.map(({ id }) => id))}::uuid[])`.execute(
    tx,
  );
}

/** Whether both are forms of the same address of the mailbox. */
function isSame(a: string, b: string, own: OwnAddresses): boolean {
  const [first, second] = [parseMailbox(a), parseMailbox(b)];
  if ('error' in first || 'error' in second) return false;
  return own.some((one) => mayWriteFrom(first, [one]) && mayWriteFrom(second, [one]));
}

function faultsOf({ name, reply_to: replyTo }: SaveIdentity): Record<string, string> {
  const errors: Record<string, string> = {};
  if (name !== null && CONTROLS.test(name)) errors['name'] = 'The name must be a single line.';
  const target = replyTo === null || replyTo.trim() === '' ? null : parseMailbox(replyTo.trim());
  if (target !== null && 'error' in target) errors['reply_to'] = target.error;
  return errors;
}

function addressFaults(address: string, own: OwnAddresses): Record<string, string> {
  const parsed = parseMailbox(address.trim());
  if ('error' in parsed) return { address: parsed.error };
  return mayWriteFrom(parsed, own) && parsed.displayName === null
    ? {}
    : { address: `This mailbox ${mayWrite(own)}.` };
}

/** @throws AppError validation-failed if the pictures are too large, because every message contains them */
async function cleanSignature(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  { signature_html: html }: SaveIdentity,
): Promise<string | null> {
  if (html === null || html.trim() === '') return null;
  const clean = await sanitizeOutgoing(html.toWellFormed().replaceAll('\0', ''), uploadsAddress(mailboxId));
  const { rows } = await SIZE.sql`
    select coalesce(sum(octets), 0)::int8 as octets from uploads
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = any (${uuidArray(uploadsIn(clean))}::uuid[])`.execute(
    database,
  );
  if (Number(rows[0]?.octets ?? 0) > MAX_PICTURE_BYTES)
    throw validationError({
      signature_html: 'The pictures of a signature can have 1 MB in total. Use smaller pictures.',
    });
  return clean;
}

function noIdentity(): AppError {
  return new AppError('not-found', 'This identity no longer exists.');
}
