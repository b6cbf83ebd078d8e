/** Creates, updates and deletes templates (docs/templates.md). The content after each save is stored as a version. */
import { sql } from 'kysely';
import { recordChange, recordDifferences } from '../accounts/audit.ts';
import { lockProject } from '../accounts/projects/projects.ts';
import { rowIs } from '../db/row-is.ts';
import { type Database, type DatabaseTransaction, isUniqueViolation } from '../db/database.ts';
import * as clock from '../model/clock.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import { checkTemplate, type TemplateFields } from './check-template.ts';
import { keepVersion, hasSameContent } from './template-versions.ts';

/** Maximum number of templates of a project. There is a limit because the API returns all of them at once. */
const MAX_TEMPLATES = 1_000;
const MAX_TOTAL_BYTES = 32 * 1024 * 1024;

export interface UpdateOptions {
  /** The variables in the fields. Set only if all fields are given and were already checked. */
  variables?: string[];
  /** The time of the save that the changes are based on. If the template was saved since then, the update is rejected. */
  basedOn?: Date | undefined;
}

export interface SavedTemplate {
  /** uuid */
  id: string;
  name: string;
  variables: string[];
}

export interface CreateOptions {
  /** The variables in the fields, if the fields were already checked. */
  variables?: string[];
  /** Values for previews: a JSON object, which was already checked. */
  sample?: string | undefined;
}

/** Creates a template. @throws AppError validation-failed, already-exists, plan-limit-exceeded */
export async function createTemplate(
  database: Database,
  projectId: string,
  fields: TemplateFields,
  { variables = checkTemplate(fields), sample }: CreateOptions = {},
): Promise<SavedTemplate> {
  const id = newUuid();
  const createdAt = timeOf(id);
  await writing(database, projectId, async (tx) => {
    await tx
      .insertInto('templates')
      .values({ projectId, id, ...fields, variables, sample, createdAt, updatedAt: createdAt })
      .execute();
    await keepVersion(tx, { projectId, templateId: id }, fields);
    await recordChange(tx, {
      ...changeOf(projectId, 'create', id, fields.name),
      after: auditedFields(fields),
    });
  });
  return { id, name: fields.name, variables };
}

/**
 * Changes the given fields of a template. Other fields are not changed.
 * @param id uuid
 * @returns null when the project has no such template
 * @throws AppError validation-failed, already-exists, plan-limit-exceeded
 */
export async function updateTemplate(
  database: Database,
  projectId: string,
  id: string,
  changes: Partial<TemplateFields>,
  { variables: checked, basedOn }: UpdateOptions = {},
): Promise<SavedTemplate | null> {
  return writing(database, projectId, async (tx) => {
    const found = await tx
      .selectFrom('templates')
      .select(['name', 'subject', 'html', 'text', 'updatedAt'])
      .where((row) => rowIs(row, { projectId, id }))
      .executeTakeFirst();
    if (found === undefined) return null;
    const { updatedAt, ...old } = found;
    const fields = { ...old, ...changes };
    // Accept an outdated save if the template already has its content: it may be the retry of a save whose response was lost.
    if (basedOn !== undefined && updatedAt.getTime() !== basedOn.getTime() && !hasSameContent(old, fields))
      throw validationError({
        based_on: 'another user has saved the template in the meantime; reload it, and compare the versions',
      });
    const variables = checked ?? checkTemplate(fields);
    // Store the old content as a version too, unless it already is one: earlier releases of the service did not store versions.
    await keepVersion(tx, { projectId, templateId: id }, old);
    await tx
      .updateTable('templates')
      .set({ ...fields, variables, updatedAt: clock.now() })
      .where((row) => rowIs(row, { projectId, id }))
      .execute();
    await keepVersion(tx, { projectId, templateId: id }, fields);
    await recordDifferences(
      tx,
      changeOf(projectId, 'update', id, fields.name),
      auditedFields(old),
      auditedFields(fields),
    );
    return { id, name: fields.name, variables };
  });
}

/**
 * @param id uuid
 * @returns false when the project has no such template
 */
export async function deleteTemplate(database: Database, projectId: string, id: string): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const deleted = await tx
      .deleteFrom('templates')
      .where((row) => rowIs(row, { projectId, id }))
      .returning('name')
      .executeTakeFirst();
    if (deleted === undefined) return false;
    const { name } = deleted;
    await recordChange(tx, { ...changeOf(projectId, 'delete', id, name), before: { name } });
    return true;
  });
}

function changeOf(projectId: string, verb: 'create' | 'update' | 'delete', id: string, name: string) {
  const target = encodeId('tpl', id);
  return { of: { projectId }, action: `template.${verb}`, target, targetName: name } as const;
}

/** The fields for the audit log. They are listed one by one, so that a field that is added later does not get into the log by accident. */
function auditedFields({ name, subject, html, text }: TemplateFields) {
  return { name, subject, html, text };
}

/**
 * Allows one write to a project's templates at a time. If the project's templates exceed a limit afterwards, rolls the write back and
 * throws.
 */
async function writing<T>(
  database: Database,
  projectId: string,
  write: (tx: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  try {
    return await database.transaction().execute(async (tx) => {
      await lockProject(tx, projectId);
      const result = await write(tx);
      await checkLimits(tx, projectId);
      return result;
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('already-exists', 'The project already has a template with this name.', {
      errors: { name: 'is the name of another template' },
      cause: error,
    });
  }
}

async function checkLimits(tx: DatabaseTransaction, projectId: string): Promise<void> {
  const bytes = sql<number>`coalesce(sum(octet_length(subject) + octet_length(html) + octet_length(text)), 0)::int`;
  const used = await tx
    .selectFrom('templates')
    .select([sql<number>`count(*)::int`.as('count'), bytes.as('bytes')])
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  if (used.count <= MAX_TEMPLATES && used.bytes <= MAX_TOTAL_BYTES) return;
  const limit = `A project can have at most ${MAX_TEMPLATES} templates, with ${MAX_TOTAL_BYTES} bytes in total.`;
  throw new AppError('plan-limit-exceeded', limit, {
    errors: { name: 'exceeds the limit; delete or shorten a template first' },
  });
}
