/** Organizations. Each organization has its own projects and members. */
import { sql } from 'kysely';
import { type Database, type DatabaseTransaction, inTransaction } from '../../db/database.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { decodeId, encodeId, newUuid, NIL_UUID, timeOf } from '../../model/ids.ts';
import { recordChange, recordDifferences } from '../audit.ts';

const MAX_NAME = 100;
/** Maximum number of organizations that an error names. */
const MAX_NAMED = 10;

/**
 * Returns the oldest organization, and creates one if there is none. Locks the table until the transaction ends, so that only one of
 * several starting instances creates an organization.
 */
export async function ensureOrganization(tx: DatabaseTransaction): Promise<string> {
  await sql`lock table organizations in share row exclusive mode`.execute(tx);
  const found = await tx.selectFrom('organizations').select('id').orderBy('id').limit(1).executeTakeFirst();
  if (found !== undefined) return found.id;
  const id = newUuid();
  await tx
    .insertInto('organizations')
    .values({ id, name: 'default', createdAt: timeOf(id) })
    .execute();
  return id;
}

/** @returns the uuid of the organization @throws AppError validation-failed */
export async function createOrganization(
  database: Database | DatabaseTransaction,
  name: string,
): Promise<string> {
  checkName(name);
  return inTransaction(database, async (tx) => {
    const id = newUuid();
    await tx
      .insertInto('organizations')
      .values({ id, name, createdAt: timeOf(id) })
      .execute();
    await recordChange(tx, {
      of: { organizationId: id },
      action: 'organization.create',
      target: encodeId('org', id),
      targetName: name,
      after: { name },
    });
    return id;
  });
}

/** Checks the name of a project or an organization. @throws AppError validation-failed */
export function checkName(name: string, field = 'name'): void {
  if (name.trim() === '' || name.length > MAX_NAME || /[\u0000-\u001f\u007f]/.test(name))
    throw validationError({ [field]: `must be 1 to ${MAX_NAME} characters without line breaks` });
}

/**
 * @param nameOrId a name, or `org_...`, as users type it
 * @throws AppError not-found; bad-request if several organizations have the name
 */
export async function findOrganization(
  database: Database,
  nameOrId: string,
): Promise<{ id: string; name: string }> {
  const id = decodeId('org', nameOrId) ?? NIL_UUID;
  const found = await database
    .selectFrom('organizations')
    .select(['id', 'name'])
    .where((row) => row.or([row('id', '=', id), row('name', '=', nameOrId)]))
    .orderBy('id')
    .execute();
  const [one] = found;
  if (one === undefined)
    throw new AppError('not-found', `There is no organization ${nameOrId}. ${await existingNames(database)}`);
  if (found.length > 1) {
    const ids = found.map((each) => encodeId('org', each.id)).join(', ');
    throw new AppError(
      'bad-request',
      `Several organizations are named ${nameOrId}. Use an id instead of the name: ${ids}.`,
    );
  }
  return one;
}

/** A list of the existing organizations, for a user who mistyped a name. */
async function existingNames(database: Database): Promise<string> {
  const rows = await database
    .selectFrom('organizations')
    .select('name')
    .orderBy('id')
    .limit(MAX_NAMED + 1)
    .execute();
  if (rows.length === 0) return 'Create one with `organization create`.';
  const named = rows.slice(0, MAX_NAMED).map(({ name }) => name);
  return `The organizations are: ${named.join(', ')}${rows.length > MAX_NAMED ? ', and others' : ''}.`;
}

/** @throws AppError validation-failed */
export async function renameOrganization(
  database: Database | DatabaseTransaction,
  organizationId: string,
  name: string,
): Promise<void> {
  checkName(name);
  await inTransaction(database, async (tx) => {
    const before = await tx
      .selectFrom('organizations')
      .select('name')
      .where('id', '=', organizationId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    await tx.updateTable('organizations').set({ name }).where('id', '=', organizationId).execute();
    const target = encodeId('org', organizationId);
    const what = { action: 'organization.rename', target, targetName: name } as const;
    await recordDifferences(tx, { of: { organizationId }, ...what }, before, { name });
  });
}

/**
 * Allows only one change to an organization's members at a time, so that of two owners who remove each other, only one succeeds. Code that
 * also locks a user must lock the organization first.
 * @throws AppError not-found if the organization was deleted a moment ago
 */
export async function lockOrganization(tx: DatabaseTransaction, organizationId: string): Promise<void> {
  await tx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new AppError('not-found', 'The organization has just been deleted.'));
}
