/** Unsaved edits of templates: each user has one draft per template (docs/templates.md, Drafts). */
import { sql } from 'kysely';
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import * as clock from '../model/clock.ts';

/** Maximum number of drafts of a user. Attack: a user stores any number of drafts, of up to 4 MB each. */
const MAX_DRAFTS = 20;

export interface DraftOf {
  projectId: string;
  /** uuid */
  templateId: string;
  /** uuid */
  userId: string;
}

export interface DraftFields {
  subject: string;
  html: string;
  text: string;
  /** The sample data for previews: a JSON object, as text. */
  sample: string;
  /** The time of the save that the draft is based on; null if it was not recorded. */
  basedOn: Date | null;
}

/**
 * Stores a draft, which replaces the previous draft. The user's oldest drafts beyond the limit are deleted. @returns false if the project
 * has no such template
 */
export async function writeDraft(database: Database, of: DraftOf, fields: DraftFields): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const { projectId, templateId, userId } = of;
    const template = await tx
      .selectFrom('templates')
      .select('id')
      .where((row) => rowIs(row, { projectId, id: templateId }))
      .forKeyShare()
      .executeTakeFirst();
    if (template === undefined) return false;
    const written = { ...fields, updatedAt: clock.now() };
    await tx
      .insertInto('templateDrafts')
      .values({ projectId, templateId, userId, ...written })
      .onConflict((conflict) => conflict.columns(['projectId', 'templateId', 'userId']).doUpdateSet(written))
      .execute();
    await sql`
      delete from template_drafts where (project_id, template_id, user_id) in (
        select project_id, template_id, user_id from template_drafts where user_id = ${userId}
        order by updated_at desc offset ${MAX_DRAFTS})`.execute(tx);
    return true;
  });
}

/** Reads a user's draft of a template. Returns undefined if the user has no unsaved edits. */
export function readDraft(database: Database, of: DraftOf) {
  return database
    .selectFrom('templateDrafts')
    .select(['subject', 'html', 'text', 'sample', 'updatedAt', 'basedOn'])
    .where((row) => rowIs(row, { ...of }))
    .executeTakeFirst();
}

/** Deletes a user's draft, unless it was stored after `until`. */
export async function deleteDraft(database: Database, of: DraftOf, until = clock.now()): Promise<void> {
  await database
    .deleteFrom('templateDrafts')
    .where((row) => rowIs(row, { ...of }))
    .where('updatedAt', '<=', until)
    .execute();
}
