/** Organisations, their projects, and the settings of these. */
import { sql } from 'kysely';
import { type Database, type DatabaseTransaction, inTransaction, isUniqueViolation } from '../db/database.ts';
import { AppError, validationError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { decodeId, encodeId, newUuid, NIL_UUID, timeOf } from '../model/ids.ts';
import type { ProjectSettings as ShownSettings } from '../contract/dashboard/projects.ts';
import type { Plan } from '../model/plans.ts';
import type { SpamLevel } from '../model/spam-levels.ts';
import { recordChange, recordDifferences } from './audit.ts';

const MAX_NAME = 100;
/** Organisations that an error names. */
const MAX_NAMED = 10;

/**
 * The organisation of an installation, made if it is missing, and locked until the transaction ends: when several
 * instances start at once, one makes what is missing and the others find it.
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

/** @returns its uuid @throws AppError validation-failed */
export async function createOrganization(
  database: Database | DatabaseTransaction,
  name: string,
): Promise<string> {
  checkProjectName(name);
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

/** Of a project or an organisation. @throws AppError validation-failed */
function checkProjectName(name: string): void {
  if (name.trim() === '' || name.length > MAX_NAME || /[\u0000-\u001f\u007f]/.test(name))
    throw validationError({ name: `must be 1 to ${MAX_NAME} characters without line breaks` });
}

/** @throws AppError already-exists, validation-failed */
export async function createProject(
  database: Database | DatabaseTransaction,
  organizationId: string,
  name: string,
  plan: Plan,
): Promise<string> {
  checkProjectName(name);
  return inTransaction(database, async (tx) => {
    const id = newUuid();
    const inserted = await tx
      .insertInto('projects')
      .values({ id, organizationId, name, plan, createdAt: timeOf(id) })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (inserted === undefined) throw nameTaken(name);
    await recordChange(tx, {
      of: { projectId: id },
      action: 'project.create',
      target: encodeId('prj', id),
      targetName: name,
      after: { name, plan },
    });
    return id;
  });
}

/**
 * @param nameOrId as people have it: a name, or `org_...`
 * @throws AppError not-found; bad-request when several have the name
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
    throw new AppError('not-found', `There is no organisation ${nameOrId}. ${await thoseThatAre(database)}`);
  if (found.length > 1) {
    const ids = found.map((each) => encodeId('org', each.id)).join(', ');
    throw new AppError(
      'bad-request',
      `Several organisations are named ${nameOrId}. Name one by its id: ${ids}.`,
    );
  }
  return one;
}

/** For somebody who has mistyped one. */
async function thoseThatAre(database: Database): Promise<string> {
  const rows = await database
    .selectFrom('organizations')
    .select('name')
    .orderBy('id')
    .limit(MAX_NAMED + 1)
    .execute();
  if (rows.length === 0) return '`organization create` makes one.';
  const named = rows.slice(0, MAX_NAMED).map(({ name }) => name);
  return `There are: ${named.join(', ')}${rows.length > MAX_NAMED ? ', and others' : ''}.`;
}

/** @throws AppError validation-failed, already-exists */
export async function renameProject(database: Database, projectId: string, name: string): Promise<void> {
  checkProjectName(name);
  await database.transaction().execute(async (tx) => {
    const before = await tx
      .selectFrom('projects')
      .select('name')
      .where('id', '=', projectId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow(projectGone);
    // Under another name it is still the one of the first start, which is not made again.
    await noteFirstProject(tx, projectId);
    await tx
      .updateTable('projects')
      .set({ name })
      .where('id', '=', projectId)
      .execute()
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? nameTaken(name) : error;
      });
    const what = { action: 'project.rename', target: encodeId('prj', projectId), targetName: name } as const;
    await recordDifferences(tx, { of: { projectId }, ...what }, before, { name });
  });
}

/** @throws AppError validation-failed */
export async function renameOrganization(
  database: Database,
  organizationId: string,
  name: string,
): Promise<void> {
  checkProjectName(name);
  await database.transaction().execute(async (tx) => {
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

function nameTaken(name: string): AppError {
  return new AppError('already-exists', `There is a project named ${name} already.`, {
    errors: { name: 'is taken by another project' },
  });
}

/** The project that the first start makes. */
export const FIRST_PROJECT = 'default';
const DELETED_FIRST = 'first_project_deleted';

/**
 * Whether the first start is still to come. A project that was deleted is not made again. Within the transaction of
 * `ensureOrganization`.
 */
export async function isFirstStart(tx: DatabaseTransaction): Promise<boolean> {
  if ((await findProject(tx, FIRST_PROJECT)) !== null) return false;
  const deleted = await tx
    .selectFrom('settings')
    .select('name')
    .where('name', '=', DELETED_FIRST)
    .executeTakeFirst();
  return deleted === undefined;
}

/** Before the row of a project is deleted, in the same transaction. */
export async function noteDeletedProject(tx: DatabaseTransaction, projectId: string): Promise<void> {
  const { name } = await tx
    .selectFrom('projects')
    .select('name')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  await recordChange(tx, {
    of: { projectId },
    action: 'project.delete',
    target: encodeId('prj', projectId),
    targetName: name,
    before: { name },
  });
  await noteFirstProject(tx, projectId);
}

/** Before it has its name no more. */
async function noteFirstProject(tx: DatabaseTransaction, projectId: string): Promise<void> {
  const first = await findProject(tx, FIRST_PROJECT);
  if (first !== projectId) return;
  await tx
    .insertInto('settings')
    .values({ name: DELETED_FIRST, value: clock.now().toISOString() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The project's id, or null. */
export async function findProject(
  database: Database | DatabaseTransaction,
  name: string,
): Promise<string | null> {
  const row = await database.selectFrom('projects').select('id').where('name', '=', name).executeTakeFirst();
  return row?.id ?? null;
}

/** @throws AppError not-found */
export async function findProjectByName(database: Database, name: string): Promise<string> {
  const id = await findProject(database, name);
  if (id === null) throw new AppError('not-found', `There is no project named ${name}.`);
  return id;
}

/** The plan of a project. Without a lock: it may change at any moment. */
export async function findPlan(database: Database, projectId: string): Promise<Plan> {
  return (await planOf(database, projectId).executeTakeFirstOrThrow()).plan;
}

/**
 * Locks the project, so that counts of what it has stay true until the transaction ends: one transaction at a time adds
 * to a project.
 * @returns its plan
 * @throws AppError not-found: it was deleted a moment ago
 */
export async function lockProject(tx: DatabaseTransaction, projectId: string): Promise<Plan> {
  return (await planOf(tx, projectId).forNoKeyUpdate().executeTakeFirstOrThrow(projectGone)).plan;
}

/**
 * Locks a project that is to be deleted, also against whoever adds a row that refers to it: an insert that is under way is waited for,
 * and a later one waits until the project is gone.
 * @throws AppError not-found
 */
export async function lockProjectToDelete(tx: DatabaseTransaction, projectId: string): Promise<void> {
  await planOf(tx, projectId).forUpdate().executeTakeFirstOrThrow(projectGone);
}

/** For whoever knew the project a moment ago. */
function projectGone(): AppError {
  return new AppError('not-found', 'The project has just been deleted.');
}

function planOf(database: Database | DatabaseTransaction, projectId: string) {
  return database.selectFrom('projects').select('plan').where('id', '=', projectId);
}

export interface ProjectSettingsRow {
  plan: Plan;
  /** For the mailboxes that have no level of their own. */
  defaultSpamLevel: SpamLevel;
  trackOpens: boolean;
  trackClicks: boolean;
  /** Webhooks hear of emails that came by SMTP, too. */
  smtpEvents: boolean;
  /** Who writes in the web client is shown the people of the directory. */
  mailDirectory: boolean;
  /** The dashboard shows what the files are called that go out as links. */
  linkNames: boolean;
  /** Emails older than so many days are deleted. Null: they are kept for ever. */
  keepDays: number | null;
  /** The same for their bodies; 0: once the last attempt has ended. */
  keepBodiesDays: number | null;
}

const SETTINGS = [
  'plan',
  'defaultSpamLevel',
  'trackOpens',
  'trackClicks',
  'smtpEvents',
  'mailDirectory',
  'linkNames',
  'keepDays',
  'keepBodiesDays',
] as const;

export interface ProjectRecord extends ProjectSettingsRow {
  /** uuid */
  id: string;
  name: string;
  /** uuid */
  organizationId: string;
  createdAt: Date;
}

/** All projects of the installation, oldest first. */
export function listProjects(database: Database): Promise<ProjectRecord[]> {
  return database
    .selectFrom('projects')
    .select(['id', 'name', 'organizationId', 'createdAt', ...SETTINGS])
    .orderBy('id')
    .execute();
}

/** @throws AppError not-found */
export async function readProjectSettings(
  database: Database,
  projectId: string,
): Promise<ProjectSettingsRow> {
  const row = await database
    .selectFrom('projects')
    .select(SETTINGS)
    .where('id', '=', projectId)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not-found', 'There is no such project.');
  return row;
}

/** The settings as the dashboard shows them. @param installationKeepDays POSTHORN_KEEP_DAYS @throws AppError not-found */
export async function describeProjectSettings(
  database: Database,
  projectId: string,
  installationKeepDays: number | null,
): Promise<ShownSettings> {
  const { name, ...settings } = await database
    .selectFrom('projects')
    .select(['name', ...SETTINGS])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow(projectGone);
  return { name, ...shownSettings(settings), installation_keep_days: installationKeepDays };
}

/**
 * Changes what is given. A project that has more than its new plan allows keeps it and gets no more. Servers notice a
 * new plan within `KEY_TTL_MS`.
 */
export async function changeProjectSettings(
  database: Database,
  projectId: string,
  changes: Partial<ProjectSettingsRow>,
): Promise<void> {
  await inTransaction(database, async (tx) => {
    const before = await tx
      .selectFrom('projects')
      .select(['name', ...SETTINGS])
      .where('id', '=', projectId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (before === undefined) return;
    await tx.updateTable('projects').set(changes).where('id', '=', projectId).execute();
    const { name, ...settings } = before;
    const target = encodeId('prj', projectId);
    const change = { of: { projectId }, action: 'project.update', target, targetName: name } as const;
    await recordDifferences(tx, change, shownSettings(settings), shownSettings({ ...settings, ...changes }));
  });
}

/** The settings under the names that people see. */
export function shownSettings({ plan, defaultSpamLevel, ...settings }: ProjectSettingsRow) {
  const { trackOpens, trackClicks, smtpEvents, mailDirectory, linkNames, keepDays, keepBodiesDays } =
    settings;
  return {
    plan,
    spam_level: defaultSpamLevel,
    track_opens: trackOpens,
    track_clicks: trackClicks,
    smtp_events: smtpEvents,
    mail_directory: mailDirectory,
    link_names: linkNames,
    keep_days: keepDays,
    keep_bodies_days: keepBodiesDays,
  };
}
