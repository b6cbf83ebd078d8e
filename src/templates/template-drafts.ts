/** Changes to templates that are not yet published: each template has at most one draft, which all users share (docs/templates.md). */
import { sql } from 'kysely';
import { currentActor, recordChange } from '../accounts/audit.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { AppError, validationError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { encodeId, newUuid } from '../model/ids.ts';
import { type PublishedTemplate, readAuthored, type TemplateKey } from './authored.ts';

/** The limit on the drafts of a project. Attack: a user stores any number of drafts, of up to 4 MB each. */
const MAX_TOTAL_BYTES = 32 * 1024 * 1024;

/** The content of a draft. */
export interface DraftFields {
  subject: string;
  html: string;
  text: string;
  /** uuid; null for no layout */
  layoutId: string | null;
  /** The sample data for previews: a JSON object, as text. */
  sample: string;
}

interface DraftOptions {
  /** The time at which the version was published that the draft is based on. */
  basedOn: Date | undefined;
  /** The revision of the draft that is replaced; null if there was none. Undefined to replace any draft. */
  revision: string | null | undefined;
}

/**
 * Stores the draft, which replaces the previous draft. A draft with the content of the published template is deleted.
 * @returns the new revision; null without a draft; undefined if the project has no such template
 * @throws AppError validation-failed on `revision` if another user has changed the draft; plan-limit-exceeded
 */
export async function writeDraft(
  database: Database,
  template: TemplateKey,
  fields: DraftFields,
  { basedOn, revision: seen }: DraftOptions,
): Promise<string | null | undefined> {
  return database.transaction().execute(async (tx) => {
    // One writer at a time for each template. The template is locked, because there may be no draft yet.
    await lockTemplate(tx, template);
    const published = await readAuthored(tx, template);
    if (published === undefined) return undefined;
    const draft = await readDraft(tx, template);
    // Accept a repeated request whose response was lost.
    if (draft !== undefined && hasSameFields(draft, fields)) return draft.revision;
    if (seen !== undefined && seen !== (draft?.revision ?? null)) throw draftChanged();
    if (hasSameFields(published, fields)) {
      await deleteDraft(tx, template);
      return null;
    }
    const revision = newUuid();
    const { projectId, templateId } = template;
    const written = {
      ...fields,
      revision,
      actorName: currentActor().name,
      updatedAt: clock.now(),
      basedOn: basedOn ?? draft?.basedOn ?? published.updatedAt,
    };
    await tx
      .insertInto('templateSharedDrafts')
      .values({ projectId, templateId, ...written })
      .onConflict((conflict) => conflict.columns(['projectId', 'templateId']).doUpdateSet(written))
      .execute();
    await checkDraftLimit(tx, projectId);
    return revision;
  });
}

/** @returns undefined if the template has no draft */
export function readDraft(database: Database | DatabaseTransaction, template: TemplateKey) {
  return database
    .selectFrom('templateSharedDrafts')
    .select([
      'revision',
      'subject',
      'html',
      'text',
      'layoutId',
      'sample',
      'actorName',
      'updatedAt',
      'basedOn',
    ])
    .where((row) => rowIs(row, { ...template }))
    .executeTakeFirst();
}

/**
 * Discards the draft.
 * @param seen the revision that the user has seen; undefined to discard any draft
 * @throws AppError validation-failed on `revision` if another user has changed the draft
 */
export async function discardDraft(
  database: Database,
  template: TemplateKey,
  seen: string | undefined,
): Promise<void> {
  await database.transaction().execute(async (tx) => {
    const name = await lockTemplate(tx, template);
    const draft = await readDraft(tx, template);
    if (name === undefined || draft === undefined) return;
    if (seen !== undefined && seen !== draft.revision) throw draftChanged();
    await deleteDraft(tx, template);
    await recordChange(tx, {
      of: { projectId: template.projectId },
      action: 'template.discard-draft',
      target: encodeId('tpl', template.templateId),
      targetName: name,
    });
  });
}

/** Deletes the draft that is published. @param revision null if there is none @returns false if the template has another draft */
export async function endDraft(
  tx: DatabaseTransaction,
  template: TemplateKey,
  revision: string | null,
): Promise<boolean> {
  await lockTemplate(tx, template);
  const draft = await readDraft(tx, template);
  if ((draft?.revision ?? null) !== revision) return false;
  await deleteDraft(tx, template);
  return true;
}

/** @returns the name; undefined if the project has no such template */
async function lockTemplate(
  tx: DatabaseTransaction,
  { projectId, templateId }: TemplateKey,
): Promise<string | undefined> {
  const found = await tx
    .selectFrom('templates')
    .select('name')
    .where((row) => rowIs(row, { projectId, id: templateId }))
    .forNoKeyUpdate()
    .executeTakeFirst();
  return found?.name;
}

async function deleteDraft(tx: DatabaseTransaction, template: TemplateKey): Promise<void> {
  await tx
    .deleteFrom('templateSharedDrafts')
    .where((row) => rowIs(row, { ...template }))
    .execute();
}

function hasSameFields(one: DraftFields | PublishedTemplate, other: DraftFields): boolean {
  return (
    one.subject === other.subject &&
    one.html === other.html &&
    one.text === other.text &&
    one.layoutId === other.layoutId &&
    one.sample === other.sample
  );
}

function draftChanged(): AppError {
  return validationError({
    revision: 'another user has changed the draft in the meantime; reload it, and compare the changes',
  });
}

async function checkDraftLimit(tx: DatabaseTransaction, projectId: string): Promise<void> {
  const { bytes } = await tx
    .selectFrom('templateSharedDrafts')
    .select(
      sql<number>`sum(octet_length(subject) + octet_length(html) + octet_length(text) + octet_length(sample))::int`.as(
        'bytes',
      ),
    )
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  if (bytes <= MAX_TOTAL_BYTES) return;
  throw new AppError(
    'plan-limit-exceeded',
    `The drafts of a project can have at most ${MAX_TOTAL_BYTES} bytes in total. Publish or discard drafts.`,
  );
}
