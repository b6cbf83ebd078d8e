/** The aliases of a project in the form of the API: addresses that deliver to mailboxes of the project (docs/contract.md, Aliases). */
import { type Selection, sql } from 'kysely';
import { recordChange, recordDifferences } from '../accounts/audit.ts';
import { lockProject } from '../accounts/projects/projects.ts';
import {
  type Alias,
  Alias as AliasSchema,
  type AliasList,
  type CreateAlias,
  type UpdateAlias,
} from '../contract/aliases.ts';
import { bodyOf } from '../contract/body-of.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import type { Tables } from '../db/tables.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { decodeId, encodeId, newUuid, timeOf } from '../model/ids.ts';
import type { MailboxesOptions } from './mailboxes.ts';
import { findSignInAddress } from './sharing/sign-in-addresses.ts';
import { findAddress, lockDomainForAddress, assertAddressFree } from './new-address.ts';
import { addressOf } from './local-part.ts';

/** Maximum number of aliases per project. There is a limit because all projects share the names on the hosted domain. */
const MAX_ALIASES = 1_000;

const COLUMNS = [
  'id',
  'domainId',
  'domain',
  'localPart',
  'createdAt',
  sql<string[]>`array(select t.mailbox_id::text from alias_mailboxes t
    where t.project_id = aliases.project_id and t.alias_id = aliases.id order by t.mailbox_id)`.as(
    'mailboxIds',
  ),
] as const;

const SHARED = columnsOf({ id: 'uuid' });

const aliasBody = bodyOf(AliasSchema);

export class Aliases {
  readonly #options: MailboxesOptions;

  constructor(options: MailboxesOptions) {
    this.#options = options;
  }

  list(projectId: string): Promise<AliasList> {
    return listAliases(this.#options.database, projectId);
  }

  /** @returns null if the project has no such alias */
  get(projectId: string, aliasId: string): Promise<Alias | null> {
    return findAlias(this.#options.database, projectId, aliasId);
  }

  /** @throws AppError validation-failed, already-exists, plan-limit-exceeded */
  async create(projectId: string, body: CreateAlias): Promise<Alias> {
    const { database, hostedDomain } = this.#options;
    const errors: Record<string, string> = {};
    const address = await findAddress(database, hostedDomain, projectId, body, errors);
    const mailboxIds = readMailboxIds(body.mailbox_ids);
    if (mailboxIds === null) errors['mailbox_ids'] = UNKNOWN_MAILBOX;
    if (address === null || mailboxIds === null) throw validationError(errors);
    const { domain, localPartKey } = address;
    const id = newUuid();
    return database.transaction().execute(async (tx) => {
      await lockProject(tx, projectId);
      // Lock the mailboxes before the domain. Locking a mailbox may have to wait until its deletion ends, and a lock on the hosted domain
      // would block all projects for that long.
      await lockTargetMailboxes(tx, projectId, mailboxIds);
      await lockDomainForAddress(tx, domain, 'alone');
      await assertAddressFree(tx, address);
      await refuseTooMany(tx, projectId);
      await tx
        .insertInto('aliases')
        .values({
          projectId,
          id,
          domainId: domain.id,
          domain: domain.name,
          localPart: body.local_part,
          localPartKey,
          createdAt: timeOf(id),
        })
        .execute();
      await setTargets(tx, projectId, id, mailboxIds);
      await assertNoSignInAddress(tx, projectId, mailboxIds, 'local_part');
      const alias = await findAlias(tx, projectId, id);
      if (alias === null) throw new Error('the new alias was not found');
      await recordChange(tx, { ...changeOf(projectId, 'create', alias), after: auditedFields(alias) });
      return alias;
    });
  }

  /**
   * Changes the mailboxes of an alias.
   *
   * @returns null if the project has no such alias
   * @throws AppError validation-failed
   */
  async update(projectId: string, aliasId: string, body: UpdateAlias): Promise<Alias | null> {
    if (body.mailbox_ids === undefined) return this.get(projectId, aliasId);
    const mailboxIds = readMailboxIds(body.mailbox_ids);
    if (mailboxIds === null) throw validationError({ mailbox_ids: UNKNOWN_MAILBOX });
    return this.#options.database.transaction().execute(async (tx) => {
      // The transaction that deletes a mailbox takes its locks in the same order: mailboxes, aliases, then the links between them.
      await lockTargetMailboxes(tx, projectId, mailboxIds);
      const locked = await tx
        .selectFrom('aliases')
        .select('id')
        .where((row) => rowIs(row, { projectId, id: aliasId }))
        .forUpdate()
        .executeTakeFirst();
      const before = locked === undefined ? null : await findAlias(tx, projectId, aliasId);
      if (before === null) return null;
      // Add the new mailboxes first, because an alias is deleted with its last mailbox.
      await setTargets(tx, projectId, aliasId, mailboxIds);
      await assertNoSignInAddress(tx, projectId, mailboxIds, 'mailbox_ids');
      await tx
        .deleteFrom('aliasMailboxes')
        .where((row) => rowIs(row, { projectId, aliasId }))
        .where('mailboxId', 'not in', mailboxIds)
        .execute();
      const after = await findAlias(tx, projectId, aliasId);
      if (after === null) return null;
      const change = changeOf(projectId, 'update', after);
      await recordDifferences(tx, change, auditedFields(before), auditedFields(after));
      return after;
    });
  }

  /** @returns false if the project has no such alias */
  async delete(projectId: string, aliasId: string): Promise<boolean> {
    return this.#options.database.transaction().execute(async (tx) => {
      const deleted = await tx
        .deleteFrom('aliases')
        .where((row) => rowIs(row, { projectId, id: aliasId }))
        .returning(['localPart', 'domain'])
        .executeTakeFirst();
      if (deleted === undefined) return false;
      const address = addressOf(deleted);
      const alias = { id: encodeId('als', aliasId), address };
      await recordChange(tx, { ...changeOf(projectId, 'delete', alias), before: { address } });
      return true;
    });
  }
}

/** The aliases of a project, oldest first. */
export async function listAliases(database: Database, projectId: string): Promise<AliasList> {
  const rows = await database
    .selectFrom('aliases')
    .select(COLUMNS)
    .where('projectId', '=', projectId)
    .orderBy('id')
    .execute();
  return { data: rows.map(toAlias) };
}

async function findAlias(
  database: Database | DatabaseTransaction,
  projectId: string,
  id: string,
): Promise<Alias | null> {
  const row = await database
    .selectFrom('aliases')
    .select(COLUMNS)
    .where((row) => rowIs(row, { projectId, id }))
    .executeTakeFirst();
  return row === undefined ? null : toAlias(row);
}

/** The uuids of the mailboxes without duplicates, in the order in which rows are locked. Null if an ID is not a mailbox ID. */
function readMailboxIds(ids: readonly string[]): string[] | null {
  const uuids = new Set(ids.map((id) => decodeId('mbx', id)));
  return uuids.has(null) ? null : ([...uuids] as string[]).sort();
}

/**
 * Prevents the mailboxes from being deleted or shared until the transaction ends.
 *
 * @throws AppError validation-failed if one of the uuids is not a mailbox of the project
 */
async function lockTargetMailboxes(
  tx: DatabaseTransaction,
  projectId: string,
  mailboxIds: readonly string[],
): Promise<void> {
  const locked = await tx
    .selectFrom('mailboxes')
    .select('id')
    .where('projectId', '=', projectId)
    .where('id', 'in', mailboxIds)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  if (locked.length < mailboxIds.length) throw validationError({ mailbox_ids: UNKNOWN_MAILBOX });
}

async function setTargets(
  tx: DatabaseTransaction,
  projectId: string,
  aliasId: string,
  mailboxIds: readonly string[],
): Promise<void> {
  await tx
    .insertInto('aliasMailboxes')
    .values(mailboxIds.map((mailboxId) => ({ projectId, aliasId, mailboxId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Checks the mailboxes of a new or changed alias like those of a new grant.
 * @throws AppError validation-failed if one of them can be opened by several people and now has the sign-in address of a user
 */
async function assertNoSignInAddress(
  tx: DatabaseTransaction,
  projectId: string,
  mailboxIds: readonly string[],
  field: 'local_part' | 'mailbox_ids',
): Promise<void> {
  const { rows } = await SHARED.sql`
    select id from mailboxes m where project_id = ${projectId} and id = any(${mailboxIds}::uuid[]) and (is_shared
      or exists (select from mailbox_grants g where g.project_id = m.project_id and g.mailbox_id = m.id))`.execute(
    tx,
  );
  for (const { id } of rows) {
    const address = await findSignInAddress(tx, { projectId, mailboxId: id });
    if (address !== null)
      throw validationError({
        [field]: `cannot be used: a user signs in to the dashboard with ${address} or is invited with it, and several people can open the mailbox ${encodeId('mbx', id)}. Choose another address or mailbox`,
      });
  }
}

/** Checks the limit on aliases. The caller must have locked the project's row, or the result may be outdated. */
async function refuseTooMany(tx: DatabaseTransaction, projectId: string): Promise<void> {
  const { count } = await tx
    .selectFrom('aliases')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  if (Number(count) < MAX_ALIASES) return;
  throw new AppError(
    'plan-limit-exceeded',
    `A project can have at most ${MAX_ALIASES} aliases. Delete one first.`,
    {
      errors: { local_part: `the project already has ${MAX_ALIASES} aliases; delete one first` },
    },
  );
}

function toAlias(row: Selection<Tables, 'aliases', (typeof COLUMNS)[number]>): Alias {
  return aliasBody({
    ...row,
    id: encodeId('als', row.id),
    domainId: encodeId('dom', row.domainId),
    mailboxIds: row.mailboxIds.map((id) => encodeId('mbx', id)),
    address: addressOf(row),
  });
}

function changeOf(
  projectId: string,
  verb: 'create' | 'update' | 'delete',
  { id, address }: Pick<Alias, 'id' | 'address'>,
) {
  return { of: { projectId }, action: `alias.${verb}`, target: id, targetName: address } as const;
}

function auditedFields({ address, mailbox_ids }: Alias) {
  return { address, mailbox_ids };
}

const UNKNOWN_MAILBOX = 'must contain only mailboxes of this project';
