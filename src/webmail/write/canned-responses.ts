/** Canned responses, which the owner of a mailbox and its members insert into their messages. */
import { recordChange } from '../../accounts/audit.ts';
import {
  type CannedResponse,
  type CannedResponses as CannedResponseList,
  MAX_CANNED_RESPONSES,
  type SaveCannedResponse,
} from '../../contract/mail/canned-responses.ts';
import { type Database, type DatabaseTransaction, isUniqueViolation } from '../../db/database.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { htmlToText } from '../../rfc/message/html-to-text.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { sanitizeOutgoing, withSources } from './clean-html.ts';
import { oneLine } from './draft-content.ts';
import { lockMailboxRow } from './lock-mailbox-row.ts';
import { pinUploads, uploadsIn } from './pinned-uploads.ts';
import { uploadsAddress } from './uploads-address.ts';

const PREVIEW_LENGTH = 200;

export class CannedResponses {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  async list(mailbox: MailboxKey): Promise<CannedResponseList> {
    const rows = await ofMailbox(this.#database, mailbox)
      .select(['id', 'name', 'subject', 'preview'])
      .orderBy((row) => row.fn('lower', ['name']))
      .limit(MAX_CANNED_RESPONSES)
      .execute();
    return { data: rows.map(({ id, ...row }) => ({ id: encodeId('can', id), ...row })) };
  }

  /** @returns null if the mailbox has no such response */
  async get(mailbox: MailboxKey, id: string): Promise<CannedResponse | null> {
    const row = await ofMailbox(this.#database, mailbox)
      .select(['name', 'subject', 'html'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return null;
    const prefix = uploadsAddress(mailbox.mailboxId);
    return { id: encodeId('can', id), ...row, html: withSources(row.html, (upload) => `${prefix}${upload}`) };
  }

  /** @throws AppError validation-failed, already-exists */
  async create(mailbox: MailboxKey, body: SaveCannedResponse): Promise<CannedResponse | null> {
    return this.#write(mailbox, newUuid(), body, true);
  }

  /** @returns null if the mailbox has no such response @throws AppError validation-failed, already-exists */
  async change(mailbox: MailboxKey, id: string, body: SaveCannedResponse): Promise<CannedResponse | null> {
    return this.#write(mailbox, id, body, false);
  }

  /** @throws AppError not-found */
  async remove(mailbox: MailboxKey, id: string): Promise<void> {
    const { projectId, mailboxId } = mailbox;
    await this.#database.transaction().execute(async (tx) => {
      const address = await lockMailboxRow(tx, mailbox);
      const removed = await tx
        .deleteFrom('cannedResponses')
        .where('projectId', '=', projectId)
        .where('mailboxId', '=', mailboxId)
        .where('id', '=', id)
        .returning('name')
        .executeTakeFirst();
      if (removed === undefined) throw new AppError('not-found', 'This response no longer exists.');
      await pinUploads(tx, mailbox);
      await recordChange(tx, { ...changeOf(mailbox, address, 'delete'), before: { name: removed.name } });
    });
  }

  async #write(
    mailbox: MailboxKey,
    id: string,
    body: SaveCannedResponse,
    isNew: boolean,
  ): Promise<CannedResponse | null> {
    const { projectId, mailboxId } = mailbox;
    const name = oneLine(body.name);
    if (name === '') throw validationError({ name: 'Enter a name.' });
    const html = await sanitizeOutgoing(
      body.html.toWellFormed().replaceAll('\0', ''),
      uploadsAddress(mailboxId),
    );
    const values = {
      name,
      html,
      subject: oneLine(body.subject ?? '') || null,
      preview: oneLine(htmlToText(html)).slice(0, PREVIEW_LENGTH).toWellFormed(),
      uploads: uploadsIn(html),
    };
    try {
      const isWritten = await this.#database.transaction().execute(async (tx) => {
        const address = await lockMailboxRow(tx, mailbox);
        if (isNew) {
          await refuseTooMany(tx, mailbox);
          await tx
            .insertInto('cannedResponses')
            .values({ projectId, mailboxId, id, ...values })
            .execute();
        } else {
          const { numUpdatedRows } = await tx
            .updateTable('cannedResponses')
            .set(values)
            .where('projectId', '=', projectId)
            .where('mailboxId', '=', mailboxId)
            .where('id', '=', id)
            .executeTakeFirst();
          if (numUpdatedRows === 0n) return false;
        }
        await pinUploads(tx, mailbox);
        await recordChange(tx, {
          ...changeOf(mailbox, address, isNew ? 'create' : 'change'),
          after: { name },
        });
        return true;
      });
      return isWritten ? await this.get(mailbox, id) : null;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new AppError('already-exists', `There is already a response called ${name}.`, {
        errors: { name: 'There is already a response with this name.' },
      });
    }
  }
}

function ofMailbox(database: Database | DatabaseTransaction, { projectId, mailboxId }: MailboxKey) {
  return database
    .selectFrom('cannedResponses')
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId);
}

function changeOf(
  { projectId, mailboxId }: MailboxKey,
  targetName: string,
  verb: 'create' | 'change' | 'delete',
) {
  const target = encodeId('mbx', mailboxId);
  return { of: { projectId }, action: `mailbox.${verb}-canned-response`, target, targetName } as const;
}

async function refuseTooMany(tx: DatabaseTransaction, mailbox: MailboxKey): Promise<void> {
  const { count } = await ofMailbox(tx, mailbox)
    .select((row) => row.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_CANNED_RESPONSES)
    throw validationError({
      name: `A mailbox can have ${MAX_CANNED_RESPONSES} canned responses. Delete one first.`,
    });
}
