/** The layouts and partials of a project (docs/templates.md, Layouts and partials). */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import type { Piece } from './fields.ts';

/** Maximum number of layouts and partials of a project. */
const MAX_PIECES = 50;
/** The limit on all layouts and partials of a project together, because the thread receives all of them with each template. */
const MAX_TOTAL_BYTES = 4 * 1024 * 1024;

/** All pieces of a project at one time. */
export interface Library {
  pieces: Piece[];
  /** Changes with each change of a piece. */
  revision: string;
}

export async function readLibrary(
  database: Database | DatabaseTransaction,
  projectId: string,
): Promise<Library> {
  const rows = await database
    .selectFrom('templatePieces')
    .select(['id', 'kind', 'name', 'html', 'text', sql<string>`xmin::text`.as('version')])
    .where('projectId', '=', projectId)
    .orderBy('id')
    .execute();
  return {
    pieces: rows.map(({ id, kind, name, html, text }) => ({ id, kind, name, html, text })),
    revision: rows.map(({ id, version }) => `${id} ${version}`).join(),
  };
}

/** The `revision` of the library. Under the lock on the project, it remains unchanged until the transaction ends. */
export async function libraryRevision(tx: DatabaseTransaction, projectId: string): Promise<string> {
  const { revision } = await tx
    .selectFrom('templatePieces')
    .select(sql<string>`coalesce(string_agg(id || ' ' || xmin, ',' order by id), '')`.as('revision'))
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  return revision;
}

/** @throws AppError plan-limit-exceeded if the pieces of the project exceed a limit */
export async function checkPieceLimits(tx: DatabaseTransaction, projectId: string): Promise<void> {
  const used = await tx
    .selectFrom('templatePieces')
    .select([
      sql<number>`count(*)::int`.as('count'),
      sql<number>`coalesce(sum(octet_length(html) + octet_length(text)), 0)::int`.as('bytes'),
    ])
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  if (used.count <= MAX_PIECES && used.bytes <= MAX_TOTAL_BYTES) return;
  const limit = `A project can have at most ${MAX_PIECES} layouts and partials, with ${MAX_TOTAL_BYTES} bytes in total.`;
  throw new AppError('plan-limit-exceeded', limit, {
    errors: { name: 'exceeds the limit; delete or shorten a layout or a partial first' },
  });
}
