/** The content of a template after each save (docs/templates.md, History). */
import { sql } from 'kysely';
import { currentActor } from '../accounts/audit.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { newUuid, timeOf } from '../model/ids.ts';
import type { AuthoredTemplate } from './fields.ts';
import { hasSameContent, type TemplateKey } from './authored.ts';

const MAX_VERSIONS = 100;
/** The limits on a template's versions: total size in bytes, and number. Only a few versions of 4 MB fit into the total size. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Adds a version, unless the newest version has the same content. Deletes the oldest versions beyond the limits. */
export async function keepVersion(
  tx: DatabaseTransaction,
  template: TemplateKey,
  { name, subject, html, text, layoutId }: AuthoredTemplate,
): Promise<void> {
  const newest = await tx
    .selectFrom('templateVersions')
    .select(['name', 'subject', 'html', 'text', 'layoutId'])
    .where((row) => rowIs(row, template))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const fields = { name, subject, html, text, layoutId };
  if (newest !== undefined && hasSameContent(newest, fields)) return;
  const id = newUuid();
  const actor = currentActor();
  await tx
    .insertInto('templateVersions')
    .values({
      ...template,
      ...fields,
      id,
      actorKind: actor.kind,
      actorName: actor.name,
      createdAt: timeOf(id),
    })
    .execute();
  const { projectId, templateId } = template;
  await sql`
    delete from template_versions where (project_id, template_id, id) in (
      select project_id, template_id, id from (
        select project_id, template_id, id, row_number() over newest_first as place,
          sum(octet_length(subject) + octet_length(html) + octet_length(text)) over newest_first as bytes
        from template_versions
        where project_id = ${projectId} and template_id = ${templateId}
        window newest_first as (order by id desc)
      ) v where place > ${MAX_VERSIONS} or (bytes > ${MAX_BYTES} and place > 1)
    )`.execute(tx);
}

/** The versions of a template, newest first. Returns null if the project has no such template. */
export async function listVersions(database: Database, { projectId, templateId }: TemplateKey) {
  const template = await database
    .selectFrom('templates')
    .select('id')
    .where((row) => rowIs(row, { projectId, id: templateId }))
    .executeTakeFirst();
  if (template === undefined) return null;
  return database
    .selectFrom('templateVersions')
    .select(['id', 'name', 'actorKind', 'actorName', 'createdAt'])
    .where((row) => rowIs(row, { projectId, templateId }))
    .orderBy('id', 'desc')
    .execute();
}

/** Reads one version. Returns undefined if the template has no such version. */
export function readVersion(database: Database, template: TemplateKey, id: string) {
  return database
    .selectFrom('templateVersions')
    .select(['id', 'name', 'subject', 'html', 'text', 'layoutId', 'actorKind', 'actorName', 'createdAt'])
    .where((row) => rowIs(row, { ...template, id }))
    .executeTakeFirst();
}
