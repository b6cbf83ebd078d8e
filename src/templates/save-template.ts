/** Creates, updates and deletes templates (docs/templates.md). The content after each save is stored as a version. */
import { sql } from 'kysely';
import { recordChange, recordDifferences } from '../accounts/audit.ts';
import { lockProject } from '../accounts/projects/projects.ts';
import { rowIs } from '../db/row-is.ts';
import { type Database, type DatabaseTransaction, isUniqueViolation } from '../db/database.ts';
import * as clock from '../model/clock.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import type { AuthoredTemplate, ComposedTemplate } from './fields.ts';
import { columnsOfPublished, hasSameContent, readAuthored } from './authored.ts';
import { checkAuthored } from './check-piece.ts';
import type { TemplateFields } from './check-template.ts';
import { libraryRevision, readLibrary } from './pieces.ts';
import { endDraft } from './template-drafts.ts';
import { keepVersion } from './template-versions.ts';

/** Maximum number of templates of a project. There is a limit because the API returns all of them at once. */
const MAX_TEMPLATES = 1_000;
export const MAX_TOTAL_BYTES = 32 * 1024 * 1024;

/** A template that was composed with the pieces that the project had at one time. */
export interface CheckedTemplate extends ComposedTemplate {
  /** The `revision` of the library. */
  library: string;
}

/** The project's layouts or partials have changed since the template was checked. Check the template again. */
export class PiecesChanged extends Error {
  override readonly name = 'PiecesChanged';
}

export interface UpdateOptions {
  /** The result of the check. Set only if all fields are given and were already checked. */
  checked?: CheckedTemplate;
  /** The time of the save that the changes are based on. If the template was saved since then, the update is rejected. */
  basedOn?: Date | undefined;
  /**
   * The revision of the draft that is published, which is then deleted; null if there is none. If the template has another draft, the
   * update is rejected. By default, the draft stays.
   */
  draft?: string | null | undefined;
  /** The new sample data. It is only for previews, so it is neither in the versions nor in the audit log. */
  sample?: string | undefined;
}

export interface SavedTemplate {
  /** uuid */
  id: string;
  name: string;
  variables: string[];
}

/** The fields of a new template. By default, it has no layout and no sample data. */
export type NewTemplate = TemplateFields &
  Partial<Pick<AuthoredTemplate, 'layoutId'>> & { sample?: string | undefined };

/**
 * Creates a template.
 * @param given the result of the check, if the fields were already checked
 * @throws AppError validation-failed, already-exists, plan-limit-exceeded
 * @throws PiecesChanged
 */
export async function createTemplate(
  database: Database,
  projectId: string,
  { layoutId = null, sample, ...rest }: NewTemplate,
  given?: CheckedTemplate,
): Promise<SavedTemplate> {
  const id = newUuid();
  const createdAt = timeOf(id);
  const fields = { ...rest, layoutId };
  return writing(database, projectId, async (tx) => {
    const composed = await composedIn(tx, projectId, fields, given);
    await tx
      .insertInto('templates')
      .values({
        projectId,
        id,
        ...columnsOfPublished(fields, composed, createdAt),
        createdAt,
        ...sampleColumn(sample),
      })
      .execute();
    await keepVersion(tx, { projectId, templateId: id }, fields);
    await recordChange(tx, {
      ...changeOf(projectId, 'create', id, fields.name),
      after: auditedFields(fields),
    });
    return { id, name: fields.name, variables: composed.variables };
  });
}

/**
 * Changes the given fields of a template, and publishes it. Other fields are not changed.
 * @param id uuid
 * @returns null when the project has no such template
 * @throws AppError validation-failed, already-exists, plan-limit-exceeded
 * @throws PiecesChanged
 */
export async function updateTemplate(
  database: Database,
  projectId: string,
  id: string,
  changes: Partial<AuthoredTemplate>,
  { checked, basedOn, draft, sample }: UpdateOptions = {},
): Promise<SavedTemplate | null> {
  return writing(database, projectId, async (tx) => {
    const template = { projectId, templateId: id };
    const found = await readAuthored(tx, template);
    if (found === undefined) return null;
    const { updatedAt, sample: _, ...old } = found;
    const fields = { ...old, ...changes };
    // Accept an outdated save if the template already has its content: it may be the retry of a save whose response was lost.
    const isRetry = hasSameContent(old, fields);
    if (basedOn !== undefined && updatedAt.getTime() !== basedOn.getTime() && !isRetry)
      throw validationError({
        based_on:
          'another user has published the template in the meantime; reload it, and compare the versions',
      });
    if (draft !== undefined && !(await endDraft(tx, template, draft)) && !isRetry)
      throw validationError({
        draft_revision:
          'another user has changed the draft in the meantime; reload it, and compare the changes',
      });
    const composed = await composedIn(tx, projectId, fields, checked);
    // Store the old content as a version too, unless it already is one: earlier releases of the service did not store versions.
    await keepVersion(tx, template, old);
    await tx
      .updateTable('templates')
      .set({ ...columnsOfPublished(fields, composed, clock.now()), ...sampleColumn(sample) })
      .where((row) => rowIs(row, { projectId, id }))
      .execute();
    await keepVersion(tx, template, fields);
    await recordDifferences(
      tx,
      changeOf(projectId, 'update', id, fields.name),
      auditedFields(old),
      auditedFields(fields),
    );
    return { id, name: fields.name, variables: composed.variables };
  });
}

function sampleColumn(sample: string | undefined) {
  return sample === undefined ? {} : { sample };
}

async function composedIn(
  tx: DatabaseTransaction,
  projectId: string,
  fields: AuthoredTemplate,
  checked: CheckedTemplate | undefined,
): Promise<ComposedTemplate> {
  if (checked === undefined) return checkAuthored(fields, (await readLibrary(tx, projectId)).pieces);
  const { library, ...composed } = checked;
  if ((await libraryRevision(tx, projectId)) !== library) throw new PiecesChanged();
  return composed;
}

/**
 * @param id uuid
 * @returns false when the project has no such template
 */
export async function deleteTemplate(database: Database, projectId: string, id: string): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    // Not while the template is being published, which would then fail.
    await lockProject(tx, projectId);
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
function auditedFields({ name, subject, html, text, layoutId }: AuthoredTemplate) {
  return { name, subject, html, text, layout: layoutId === null ? null : encodeId('pce', layoutId) };
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
      await checkTemplateLimits(tx, projectId);
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

/** @throws AppError plan-limit-exceeded if the templates of the project exceed a limit */
export async function checkTemplateLimits(tx: DatabaseTransaction, projectId: string): Promise<void> {
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
