/** Composes all templates that use a piece again, before a change of the piece is published. */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { AppError, unavailable, validationError } from '../model/app-error.ts';
import type { ComposedTemplate, Piece } from './fields.ts';
import { readAuthored } from './authored.ts';
import { objectIn } from './sample-object.ts';
import { MAX_TOTAL_BYTES, PiecesChanged } from './save-template.ts';
import type { TemplateThread } from './template-thread.ts';
import { TIMINGS } from './timings.ts';

/** The number of templates that an error names. */
const MAX_NAMED = 20;

/** A published template that uses a piece. */
interface PieceUser {
  /** uuid */
  id: string;
  name: string;
  /** Changes with each change of the template. */
  version: string;
}

export interface Recomposed extends ComposedTemplate {
  /** The uuid of the template. */
  id: string;
  /** uuid; null for no layout. Differs from the stored layout after a previous version of the service has changed the template. */
  layoutId: string | null;
}

/** The published templates that use a piece, in the order of their ids. */
export function usersOf(
  database: Database | DatabaseTransaction,
  projectId: string,
  pieceId: string,
): Promise<PieceUser[]> {
  return database
    .selectFrom('templates')
    .select(['id', 'name', sql<string>`xmin::text`.as('version')])
    .where('projectId', '=', projectId)
    .where(sql<boolean>`${pieceId}::uuid = any(piece_ids)`)
    .orderBy('id')
    .execute();
}

/** The ids and versions of the users. They are unchanged if no template has begun or ceased to use the piece, or has changed. */
export function revisionOf(users: readonly PieceUser[]): string {
  return users.map(({ id, version }) => `${id} ${version}`).join();
}

/** The layouts that do not work with the other pieces, with their first error. */
export async function brokenLayouts(
  thread: TemplateThread,
  projectId: string,
  pieces: readonly Piece[],
): Promise<{ name: string; error: string }[]> {
  const broken: { name: string; error: string }[] = [];
  for (const piece of pieces.filter(({ kind }) => kind === 'layout')) {
    const [first] = Object.entries(await thread.run(projectId, 'check-piece', { piece, pieces }));
    if (first !== undefined) broken.push({ name: piece.name, error: first.join(': ') });
  }
  return broken;
}

interface RecomposeTask {
  projectId: string;
  users: readonly PieceUser[];
  before: readonly Piece[];
  after: readonly Piece[];
}

/**
 * Composes the templates one by one in the thread, which projects share fairly.
 * @throws AppError validation-failed on `templates`, with the templates and layouts that would no longer work; plan-limit-exceeded, unavailable
 * @throws PiecesChanged
 */
export async function recomposeAll(
  { database, thread }: { database: Database; thread: TemplateThread },
  { projectId, users, before, after }: RecomposeTask,
): Promise<Recomposed[]> {
  const deadline = performance.now() + TIMINGS.recomposeMs;
  const recomposed: Recomposed[] = [];
  const problems: string[] = [];
  for (const { name, error } of await brokenLayouts(thread, projectId, after))
    problems.push(`the layout ${name} (${error})`);
  let bytes = 0;
  for (const { id, name } of users) {
    if (performance.now() > deadline)
      throw unavailable('Checking the templates that use it took too long. Try again in a few seconds.');
    const found = await readAuthored(database, { projectId, templateId: id });
    if (found === undefined) throw new PiecesChanged();
    const { sample, updatedAt: _, ...fields } = found;
    const result = await thread.run(projectId, 'recompose', {
      fields,
      before,
      after,
      sample: objectIn(sample) ?? {},
    });
    if ('problem' in result) {
      problems.push(`${name} (${result.problem})`);
      continue;
    }
    recomposed.push({ id, ...result, layoutId: fields.layoutId });
    bytes += Buffer.byteLength(result.html) + Buffer.byteLength(result.text);
    if (bytes > MAX_TOTAL_BYTES)
      throw new AppError(
        'plan-limit-exceeded',
        `The templates of a project can have at most ${MAX_TOTAL_BYTES} bytes in total, with their layouts and partials.`,
      );
  }
  if (problems.length === 0) return recomposed;
  const more = problems.length - MAX_NAMED;
  const named = `${problems.slice(0, MAX_NAMED).join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
  throw validationError({ templates: `would no longer work: ${named}` });
}
