/** Published templates as they were written, without the layout and the partials that their stored HTML and text contain. */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import type { AuthoredTemplate, ComposedTemplate } from './fields.ts';

export interface TemplateKey {
  projectId: string;
  /** uuid */
  templateId: string;
}

export interface PublishedTemplate extends AuthoredTemplate {
  updatedAt: Date;
  /** The sample data: a JSON object, as text. */
  sample: string;
}

/** Sample data without values. */
export const NO_SAMPLE = '{}';

/** @returns undefined if the project has no such template */
export async function readAuthored(
  database: Database | DatabaseTransaction,
  { projectId, templateId }: TemplateKey,
): Promise<PublishedTemplate | undefined> {
  const found = await database
    .selectFrom('templates')
    .select([
      'name',
      'subject',
      'html',
      'text',
      'layoutId',
      'sourceHtml',
      'sourceText',
      'updatedAt',
      'sample',
    ])
    .select(sql<boolean>`coalesce(composed_at = updated_at, false)`.as('isComposed'))
    .where((row) => rowIs(row, { projectId, id: templateId }))
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const { name, subject, html, text, updatedAt, sample } = found;
  const common = { name, subject, updatedAt, sample: sample ?? NO_SAMPLE };
  return found.isComposed
    ? { ...common, html: found.sourceHtml ?? '', text: found.sourceText ?? '', layoutId: found.layoutId }
    : { ...common, html, text, layoutId: null };
}

/** The columns of a published template. */
export function columnsOfPublished(fields: AuthoredTemplate, composed: ComposedTemplate, updatedAt: Date) {
  const isComposed = composed.pieceIds.length > 0;
  return {
    name: fields.name,
    subject: fields.subject,
    ...composed,
    layoutId: fields.layoutId,
    sourceHtml: isComposed ? fields.html : null,
    sourceText: isComposed ? fields.text : null,
    composedAt: isComposed ? updatedAt : null,
    updatedAt,
  };
}

export function hasSameContent(one: AuthoredTemplate, other: AuthoredTemplate): boolean {
  return (
    one.name === other.name &&
    one.subject === other.subject &&
    one.html === other.html &&
    one.text === other.text &&
    one.layoutId === other.layoutId
  );
}
