/** The mailboxes of a project, in the form of the API (docs/contract.md, Mailboxes). `src/store` stores the mail of mailboxes. */
import { type Insertable, type Selectable, type Selection, sql } from 'kysely';
import { bodyOf } from '../contract/body-of.ts';
import {
  type CreatedMailbox,
  type CreateMailbox,
  Mailbox,
  type MailboxList,
  type UpdateMailbox,
} from '../contract/mailboxes.ts';
import { recordChange, recordDifferences } from '../accounts/audit.ts';
import { findPlan, lockProject } from '../accounts/projects/projects.ts';
import { rowIs } from '../db/row-is.ts';
import { type Database, type DatabaseTransaction, isUniqueViolation } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { addMember, renameMember } from '../directory/members.ts';
import { HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import { validationError } from '../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import type { Plan } from '../model/plans.ts';
import {
  catchAllExists,
  checkMayAdd,
  checkNewMailbox,
  HOSTED_CATCH_ALL,
  refuseDomainRoute,
  type NewMailboxAddress,
  textFaults,
} from './new-mailbox.ts';
import { lockDomainForAddress } from './new-address.ts';
import type { ImportedHash } from '../accounts/passwords/imported-hash.ts';
import { endMemberships } from './sharing/grants.ts';
import { findSignInAddress } from './sharing/sign-in-addresses.ts';
import { generatePassword, hashPassword } from '../accounts/passwords/password.ts';
import { addressOf } from './local-part.ts';

export interface MailboxesOptions {
  database: Database;
  /** A-labels, lower case */
  hostedDomain: string;
}

/** The columns of lists, without password hashes and signatures. */
const COLUMNS = [
  'id',
  'domainId',
  'domain',
  'localPart',
  'displayName',
  'isCatchAll',
  'quotaMb',
  'dailySendLimit',
  'spamLevel',
  'createdAt',
  // The number of unread messages is stored with the Inbox and is always current. A mailbox that was never used has no Inbox yet, so its
  // number is 0.
  sql<number>`coalesce((select unseen from folders f where f.project_id = mailboxes.project_id
    and f.mailbox_id = mailboxes.id and f.role = 'inbox'), 0)`.as('unread'),
  sql<boolean>`password_hash is not null`.as('hasPassword'),
] as const;

/**
 * Columns that are read in addition to `COLUMNS`. The API accepts some of them but does not return them; only the dashboard and the command
 * line use the others.
 */
const UNLISTED = ['replyTo', 'signatureHtml', 'emptiesFolders', 'saveSent', 'isShared'] as const;
type Unlisted = Pick<Selectable<Tables['mailboxes']>, (typeof UNLISTED)[number]>;

/** Changes that the API can make, and further changes that only the dashboard and the command line can make. */
export type MailboxChanges = UpdateMailbox & {
  /** Whether mail in Junk and Trash is deleted after 30 days. */
  empty_folders?: boolean;
  /** Whether sent mail is also stored in Sent. */
  save_sent?: boolean;
};

const mailboxBody = bodyOf(Mailbox);

export class Mailboxes {
  readonly #options: MailboxesOptions;

  constructor(options: MailboxesOptions) {
    this.#options = options;
  }

  /** The mailboxes of a project, oldest first. */
  async list(projectId: string): Promise<MailboxList> {
    const rows = await this.#options.database
      .selectFrom('mailboxes')
      .select(COLUMNS)
      .where('projectId', '=', projectId)
      .orderBy('id')
      .execute();
    return { data: rows.map(toMailbox) };
  }

  /** @returns null if the project has no such mailbox */
  async get(projectId: string, mailboxId: string): Promise<Mailbox | null> {
    const row = await this.#options.database
      .selectFrom('mailboxes')
      .select(COLUMNS)
      .where((row) => rowIs(row, { projectId, id: mailboxId }))
      .executeTakeFirst();
    return row === undefined ? null : toMailbox(row);
  }

  /**
   * Creates a mailbox, with its entry in the project's directory. The result contains `password` only if the password was generated.
   *
   * @param imported the password, as a hash of another system. May only come from an operator (`setPassword`)
   * @throws AppError validation-failed, already-exists, plan-limit-exceeded, unavailable
   */
  async create(projectId: string, body: CreateMailbox, imported?: ImportedHash): Promise<CreatedMailbox> {
    const { database, hostedDomain } = this.#options;
    const place = await checkNewMailbox(database, hostedDomain, projectId, body);
    const { is_shared: isShared = false } = body;
    const generated =
      body.password === undefined && imported === undefined && !isShared ? generatePassword() : null;
    // Check the address before hashing the password, so that a request that will be rejected does not cost a hash.
    const checkFirst = async () =>
      checkMayAdd(database, projectId, await findPlan(database, projectId), place);
    const hash = isShared
      ? null
      : (imported?.stored ?? (await hashPassword(body.password ?? generated ?? '', checkFirst)));
    const { domain, localPartKey, isCatchAll } = place;
    const id = newUuid();
    const values = {
      projectId,
      id,
      domainId: domain.id,
      domain: domain.name,
      localPart: body.local_part,
      localPartKey,
      displayName: body.display_name ?? null,
      passwordHash: hash,
      isShared,
      isCatchAll,
      quotaMb: body.quota_mb,
      dailySendLimit: body.daily_send_limit ?? null,
      spamLevel: body.spam_level ?? null,
      replyTo: body.reply_to ?? null,
      signatureHtml: body.signature_html ?? null,
      emptiesFolders: true,
      saveSent: false,
      createdAt: timeOf(id),
    };
    const mailbox = await database.transaction().execute(async (tx) => {
      const plan = await lockProject(tx, projectId);
      await lockDomainForAddress(tx, domain, 'shared');
      const made = await insertMailbox(tx, plan, place, values);
      if (isShared && (await findSignInAddress(tx, { projectId, mailboxId: id })) !== null)
        throw validationError({
          local_part:
            'is the address with which a user signs in to the dashboard or is invited, and such an address is never shared',
        });
      await recordChange(tx, { ...changeOf(projectId, 'create', made), after: auditedFields(made, values) });
      return made;
    });
    return generated === null ? mailbox : { ...mailbox, password: generated };
  }

  /**
   * Changes the fields in the body.
   *
   * @returns null if the project has no such mailbox
   * @throws AppError validation-failed
   */
  async update(projectId: string, mailboxId: string, body: MailboxChanges): Promise<Mailbox | null> {
    const errors = textFaults(body);
    if (Object.keys(errors).length > 0) throw validationError(errors);
    if (Object.keys(body).length === 0) return this.get(projectId, mailboxId);
    try {
      return await this.#options.database
        .transaction()
        .execute((tx) => updateMailbox(tx, projectId, mailboxId, body));
    } catch (error) {
      // `is_catch_all` is the only column with a unique constraint that this update can change.
      if (isUniqueViolation(error)) throw catchAllExists();
      throw error;
    }
  }

  /**
   * Deletes the mailbox, its directory entry, and the aliases that deliver only to the mailbox.
   * @returns false if the project has no such mailbox
   */
  async delete(projectId: string, mailboxId: string): Promise<boolean> {
    return this.#options.database.transaction().execute(async (tx) => {
      await endMemberships(tx, { projectId, mailboxId });
      const deleted = await tx
        .deleteFrom('mailboxes')
        .where((row) => rowIs(row, { projectId, id: mailboxId }))
        .returning(['localPart', 'domain'])
        .executeTakeFirst();
      if (deleted === undefined) return false;
      const address = addressOf(deleted);
      const mailbox = { id: encodeId('mbx', mailboxId), address };
      await recordChange(tx, { ...changeOf(projectId, 'delete', mailbox), before: { address } });
      return true;
    });
  }
}

async function insertMailbox(
  tx: DatabaseTransaction,
  plan: Plan,
  place: NewMailboxAddress,
  values: Insertable<Tables['mailboxes']>,
): Promise<Mailbox> {
  const { projectId, id } = values;
  for (;;) {
    await checkMayAdd(tx, projectId, plan, place);
    const row = await tx
      .insertInto('mailboxes')
      .values(values)
      .onConflict((conflict) => conflict.doNothing())
      .returning(COLUMNS)
      .executeTakeFirst();
    // Another transaction has just committed a mailbox with this address, or another catch-all. The check in the next attempt will throw
    // the error.
    if (row === undefined) continue;
    const mailbox = toMailbox(row);
    await addMember(tx, projectId, { mailboxId: id, name: memberName(mailbox), email: mailbox.address });
    return mailbox;
  }
}

async function updateMailbox(
  tx: DatabaseTransaction,
  projectId: string,
  mailboxId: string,
  body: MailboxChanges,
): Promise<Mailbox | null> {
  const { display_name, is_catch_all, quota_mb, daily_send_limit, spam_level, reply_to, signature_html } =
    body;
  const before = await tx
    .selectFrom('mailboxes')
    .select([...COLUMNS, ...UNLISTED])
    .where((row) => rowIs(row, { projectId, id: mailboxId }))
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (before === undefined) return null;
  const row = await tx
    .updateTable('mailboxes')
    // Kysely does not change a column whose value is undefined.
    .set({
      displayName: display_name,
      isCatchAll: is_catch_all,
      quotaMb: quota_mb,
      dailySendLimit: daily_send_limit,
      spamLevel: spam_level,
      replyTo: reply_to === '' ? null : reply_to,
      signatureHtml: signature_html,
      emptiesFolders: body.empty_folders,
      saveSent: body.save_sent,
      // A new name counts as a change of the filters, because vacation replies show the name, and it is cached together with the filters.
      ...(display_name !== undefined && {
        filingVersion: sql<number>`case filing_version when 0 then 0 else filing_version % 2000000000 + 1 end`,
      }),
    })
    .where((row) => rowIs(row, { projectId, id: mailboxId }))
    .returning([...COLUMNS, ...UNLISTED])
    .executeTakeFirstOrThrow();
  if (is_catch_all === true) {
    if (await isHosted(tx, row.domainId)) throw validationError({ is_catch_all: HOSTED_CATCH_ALL });
    // No route on the domain is created meanwhile.
    await lockDomainForAddress(tx, { projectId, id: row.domainId }, 'shared');
    await refuseDomainRoute(tx, row.domainId);
  }
  const mailbox = toMailbox(row);
  if (display_name !== undefined) await renameMember(tx, projectId, mailboxId, memberName(mailbox));
  await recordDifferences(
    tx,
    changeOf(projectId, 'update', mailbox),
    auditedFields(toMailbox(before), before),
    auditedFields(mailbox, row),
  );
  return mailbox;
}

async function isHosted(tx: DatabaseTransaction, domainId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('domains')
    .select('id')
    .where((row) => rowIs(row, { projectId: HOSTED_PROJECT_ID, id: domainId }))
    .executeTakeFirst();
  return found !== undefined;
}

function changeOf(
  projectId: string,
  verb: 'create' | 'update' | 'delete',
  { id, address }: Pick<Mailbox, 'id' | 'address'>,
) {
  return { of: { projectId }, action: `mailbox.${verb}`, target: id, targetName: address } as const;
}

/** The fields of a mailbox in the audit log: its settings, but no passwords and no mail. */
function auditedFields(
  { address, display_name, is_catch_all, quota_mb, daily_send_limit, spam_level }: Mailbox,
  { replyTo, signatureHtml, emptiesFolders, saveSent, isShared }: Unlisted,
) {
  return {
    address,
    display_name,
    is_catch_all,
    is_shared: isShared,
    quota_mb,
    daily_send_limit,
    spam_level,
    reply_to: replyTo,
    signature_html: signatureHtml,
    empty_folders: emptiesFolders,
    save_sent: saveSent,
  };
}

function memberName({ display_name, address }: Mailbox): string {
  return display_name === null || display_name.trim() === '' ? address : display_name;
}

function toMailbox(row: Selection<Tables, 'mailboxes', (typeof COLUMNS)[number]>): Mailbox {
  return mailboxBody({
    ...row,
    id: encodeId('mbx', row.id),
    domainId: encodeId('dom', row.domainId),
    address: addressOf(row),
  });
}
