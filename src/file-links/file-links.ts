/** Links of a mailbox: created, changed and revoked by its owner. */
import { sql } from 'kysely';
import { hashPassword } from '../accounts/passwords/password.ts';
import type {
  ChangeFileLink,
  CreateFileLink,
  FileLink,
  FileLinkDetail,
  FileLinkList,
} from '../contract/mail/file-links.ts';
import { columnsOf, shaped } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import type { Sealer } from '../db/seal.ts';
import { AppError, validationError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { decodeId, newUuid } from '../model/ids.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import { readAllowance } from './allowance.ts';
import { LINK_MS, MAX_LINK_MS, MAX_OPEN_LINKS, MAX_RECENT_DOWNLOADS } from './limits.ts';
import { readLinks, tokenContext } from './link-rows.ts';
import { revokeLinks } from './revoke-links.ts';
import { linkTokenDigest, newLinkToken } from './tokens.ts';

export interface FileLinksOptions {
  database: Database;
  sealer: Pick<Sealer, 'seal' | 'open'>;
  /** The base URL of the links' pages, without a trailing slash. */
  address(): string;
}

const PAGE = 50;

const DOWNLOAD = columnsOf({
  at: 'timestamptz',
  octets: 'float8',
  what: shaped<'file' | 'zip'>('text'),
  name: 'text?',
});

export class FileLinks {
  readonly #options: FileLinksOptions;

  constructor(options: FileLinksOptions) {
    this.#options = options;
  }

  /** @throws AppError validation-failed */
  async list(mailbox: MailboxKey, cursor: string | null): Promise<FileLinkList> {
    const { database } = this.#options;
    const data = await this.#read(mailbox, {
      limit: PAGE + 1,
      ...(cursor === null ? {} : { before: idOfCursor(cursor) }),
    });
    const { live, allowed } = await readAllowance(database, mailbox.projectId);
    return {
      data: data.slice(0, PAGE),
      next: data.length > PAGE ? (data[PAGE - 1]?.id ?? null) : null,
      live_octets: live,
      allowance_octets: allowed,
    };
  }

  /** @returns null if the mailbox has no such link */
  async get(mailbox: MailboxKey, id: string): Promise<FileLinkDetail | null> {
    const [link] = await this.#read(mailbox, { id, limit: 1 });
    if (link === undefined) return null;
    const { rows } = await DOWNLOAD.sql`
      select d.at, d.octets::float8, d.what, f.name from link_downloads d left join link_files f
        on f.project_id = d.project_id and f.link_id = d.link_id and f.position = d.position
      where d.project_id = ${mailbox.projectId} and d.link_id = ${id}
      order by d.at desc limit ${MAX_RECENT_DOWNLOADS}`.execute(this.#options.database);
    return { ...link, recent: rows.map(({ at, ...row }) => ({ at: at.toISOString(), ...row })) };
  }

  /** @throws AppError validation-failed */
  async create(mailbox: MailboxKey, body: CreateFileLink): Promise<FileLink> {
    const { database, sealer } = this.#options;
    const [id, token, now] = [newUuid(), newLinkToken(), clock.now()];
    const expiresAt = expiryOf(body.expires_at ?? null, now);
    const passwordHash = await hashOf(body.password ?? null);
    await database.transaction().execute(async (tx) => {
      await assertBelowLinkLimit(tx, mailbox);
      await tx
        .insertInto('fileLinks')
        .values({
          projectId: mailbox.projectId,
          mailboxId: mailbox.mailboxId,
          id,
          tokenDigest: linkTokenDigest(token),
          tokenSealed: sealer.seal(Buffer.from(token), tokenContext(id)),
          passwordHash,
          expiresAt,
          maxDownloads: body.max_downloads ?? null,
          isForDraft: (body.draft ?? null) !== null,
          createdAt: now,
        })
        .execute();
      await takeFiles(tx, mailbox, id, body.files);
    });
    const link = await this.#find(mailbox, id);
    if (link === null) throw new AppError('not-found', 'The link has just been revoked.');
    return link;
  }

  /** @returns null if the mailbox has no such link @throws AppError validation-failed */
  async change(mailbox: MailboxKey, id: string, body: ChangeFileLink): Promise<FileLink | null> {
    const passwordHash = await hashOf(body.password ?? null);
    const isChanged = await this.#options.database.transaction().execute(async (tx) => {
      const link = await tx
        .selectFrom('fileLinks')
        .select(['createdAt', 'revokedAt', 'expiresAt', 'downloads'])
        .where((row) => rowIs(row, { projectId: mailbox.projectId, mailboxId: mailbox.mailboxId, id }))
        .forUpdate()
        .executeTakeFirst();
      if (link === undefined) return false;
      // A link that has ended cannot be reopened, because its files are deleted or soon will be.
      if (link.revokedAt !== null || link.expiresAt <= clock.now() || (await hasLostFiles(tx, mailbox, id)))
        throw validationError({ link: 'This link is no longer active. Create a new one.' });
      if (typeof body.max_downloads === 'number' && body.max_downloads < link.downloads)
        throw validationError({
          max_downloads: `must be at least ${link.downloads}, the number of downloads so far`,
        });
      const changes = {
        ...(body.expires_at === undefined ? {} : { expiresAt: expiryOf(body.expires_at, link.createdAt) }),
        ...(body.password === undefined ? {} : { passwordHash }),
        ...(body.max_downloads === undefined ? {} : { maxDownloads: body.max_downloads }),
      };
      if (Object.keys(changes).length > 0)
        await tx
          .updateTable('fileLinks')
          .set(changes)
          .where((row) => rowIs(row, { projectId: mailbox.projectId, id }))
          .execute();
      return true;
    });
    return isChanged ? this.#find(mailbox, id) : null;
  }

  /** Revokes a link. Its bytes cannot be downloaded after the promise resolves. @returns false if the mailbox has no such link */
  async revoke({ projectId, mailboxId }: MailboxKey, id: string): Promise<boolean> {
    return this.#options.database.transaction().execute(async (tx) => {
      const own = { projectId, mailboxId, id };
      await revokeLinks(tx, projectId, sql`l.id = ${id} and l.mailbox_id = ${mailboxId}`);
      const link = await tx
        .selectFrom('fileLinks')
        .select('id')
        .where((row) => rowIs(row, own))
        .executeTakeFirst();
      return link !== undefined;
    });
  }

  async #find(mailbox: MailboxKey, id: string): Promise<FileLink | null> {
    return (await this.#read(mailbox, { id, limit: 1 }))[0] ?? null;
  }

  #read(mailbox: MailboxKey, filter: Parameters<typeof readLinks>[2]): Promise<FileLink[]> {
    const { database, sealer, address } = this.#options;
    return readLinks({ database, sealer, address: address() }, mailbox, filter);
  }
}

/** Reads from a cursor the ID of the last link of the previous page. @throws AppError validation-failed */
export function idOfCursor(cursor: string): string {
  const id = decodeId('lnk', cursor);
  if (id === null)
    throw validationError({
      cursor: 'is not a cursor of this list; send a cursor from a previous response unchanged',
    });
  return id;
}

/** @throws AppError validation-failed */
function expiryOf(requested: string | null, createdAt: Date): Date {
  if (requested === null) return new Date(createdAt.getTime() + LINK_MS);
  const at = new Date(requested);
  if (at <= clock.now()) throw validationError({ expires_at: 'must be in the future' });
  if (at.getTime() > createdAt.getTime() + MAX_LINK_MS)
    throw validationError({ expires_at: 'must be at most 90 days after the link was created' });
  return at;
}

async function hashOf(password: string | null): Promise<string | null> {
  return password === null ? null : hashPassword(password);
}

async function assertBelowLinkLimit(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
): Promise<void> {
  await sql`select from mailboxes where project_id = ${projectId} and id = ${mailboxId} for no key update`.execute(
    tx,
  );
  const { open } = await tx
    .selectFrom('fileLinks')
    .select((row) => row.fn.countAll<string>().as('open'))
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', clock.now())
    .executeTakeFirstOrThrow();
  if (Number(open) >= MAX_OPEN_LINKS)
    throw validationError({
      files: `A mailbox can have at most ${MAX_OPEN_LINKS} open links. Revoke some of them.`,
    });
}

/** Adds files to a link. A file can be in only one link, and only in a link of its own mailbox. @throws AppError validation-failed */
async function takeFiles(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  linkId: string,
  files: readonly string[],
): Promise<void> {
  for (const [position, file] of files.entries()) {
    const { numUpdatedRows } = await tx
      .updateTable('linkFiles')
      .set({ linkId, position })
      .where('projectId', '=', projectId)
      .where('mailboxId', '=', mailboxId)
      .where('id', '=', decodeId('fil', file) ?? mailboxId)
      .where('linkId', 'is', null)
      .where('goneAt', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n)
      throw validationError({
        files: `files[${position}]: there is no such file, or it is already in a link. Upload it again.`,
      });
  }
}

async function hasLostFiles(
  tx: DatabaseTransaction,
  { projectId }: MailboxKey,
  linkId: string,
): Promise<boolean> {
  const lost = await tx
    .selectFrom('linkFiles')
    .select('id')
    .where((row) => rowIs(row, { projectId, linkId }))
    .where('goneAt', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return lost !== undefined;
}
