/** Layouts and partials for the pages of the dashboard (docs/templates.md, Layouts and partials). */
import { sql } from 'kysely';
import { recordChange } from '../accounts/audit.ts';
import { lockProject } from '../accounts/projects/projects.ts';
import type {
  CreateTemplatePiece,
  TemplatePieceDetail,
  TemplatePieceList,
  UpdateTemplatePiece,
} from '../contract/dashboard/template-pieces.ts';
import { type Database, type DatabaseTransaction, isUniqueViolation } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import { AppError, validationError } from '../model/app-error.ts';
import * as clock from '../model/clock.ts';
import { encodeId, newUuid, timeOf } from '../model/ids.ts';
import type { Piece } from './fields.ts';
import { checkPieceLimits, libraryRevision, readLibrary } from './pieces.ts';
import { brokenLayouts, recomposeAll, type Recomposed, revisionOf, usersOf } from './recompose-all.ts';
import { checkTemplateLimits, PiecesChanged } from './save-template.ts';
import type { TemplateThread } from './template-thread.ts';
import { withUnchangedPieces } from './unchanged-pieces.ts';

/** The pieces and their users are sorted in this process, because the order of the database depends on its locale. */
const byName = new Intl.Collator('en');
const MAX_NAMED = 20;

export class PiecePages {
  readonly #database: Database;
  readonly #thread: TemplateThread;

  constructor(database: Database, thread: TemplateThread) {
    this.#database = database;
    this.#thread = thread;
  }

  /** All layouts and partials, sorted by name. */
  async list(projectId: string): Promise<TemplatePieceList> {
    const rows = await this.#database
      .selectFrom('templatePieces')
      .select(['id', 'kind', 'name', 'updatedAt'])
      .select(
        sql<number>`(select count(*)::int from templates t
          where t.project_id = template_pieces.project_id and template_pieces.id = any(t.piece_ids))`.as(
          'templates',
        ),
      )
      .where('projectId', '=', projectId)
      .execute();
    return {
      data: rows
        .sort((a, b) => byName.compare(a.name, b.name))
        .map(({ id, updatedAt, ...row }) => ({
          ...row,
          id: encodeId('pce', id),
          updated_at: updatedAt.toISOString(),
        })),
    };
  }

  /** @returns null if the project has no such piece */
  async get(projectId: string, id: string): Promise<TemplatePieceDetail | null> {
    const [piece, users] = await Promise.all([
      this.#database
        .selectFrom('templatePieces')
        .select(['kind', 'name', 'html', 'text', 'updatedAt'])
        .where((row) => rowIs(row, { projectId, id }))
        .executeTakeFirst(),
      usersOf(this.#database, projectId, id),
    ]);
    if (piece === undefined) return null;
    const { updatedAt, ...fields } = piece;
    return {
      id: encodeId('pce', id),
      ...fields,
      updated_at: updatedAt.toISOString(),
      templates: users
        .sort((a, b) => byName.compare(a.name, b.name))
        .map((user) => ({ id: encodeId('tpl', user.id), name: user.name })),
    };
  }

  /** @throws AppError validation-failed, already-exists, plan-limit-exceeded, unavailable */
  async create(projectId: string, fields: CreateTemplatePiece): Promise<{ id: string }> {
    const id = newUuid();
    const piece = { ...fields, id };
    const createdAt = timeOf(id);
    await withUnchangedPieces(async () => {
      const { pieces, revision } = await readLibrary(this.#database, projectId);
      await this.#check(projectId, piece, pieces);
      await writing(this.#database, projectId, revision, async (tx) => {
        await tx
          .insertInto('templatePieces')
          .values({ projectId, ...piece, createdAt, updatedAt: createdAt })
          .execute();
        await checkPieceLimits(tx, projectId);
        await recordChange(tx, { ...changeOf(projectId, 'create', piece), after: { name: piece.name } });
      });
    });
    return { id: encodeId('pce', id) };
  }

  /**
   * Publishes a piece in all templates that use it. If one of them would no longer work, nothing changes.
   * @returns null if the project has no such piece
   * @throws AppError validation-failed, with `templates` if templates or layouts would no longer work, and with `based_on` if there was another
   * change in the meantime; already-exists, plan-limit-exceeded, unavailable
   */
  async update(
    projectId: string,
    id: string,
    body: UpdateTemplatePiece,
  ): Promise<TemplatePieceDetail | null> {
    const { based_on, ...fields } = body;
    const isFound = await withUnchangedPieces(async () => {
      const { pieces: before, revision } = await readLibrary(this.#database, projectId);
      const old = before.find((each) => each.id === id);
      if (old === undefined) return false;
      const piece = { ...old, ...fields };
      await this.#check(projectId, piece, before);
      const after = before.map((each) => (each === old ? piece : each));
      const users = await usersOf(this.#database, projectId, id);
      const recomposed = await recomposeAll(
        { database: this.#database, thread: this.#thread },
        { projectId, users, before, after },
      );
      await writing(this.#database, projectId, revision, async (tx) => {
        if (revisionOf(await usersOf(tx, projectId, id)) !== revisionOf(users)) throw new PiecesChanged();
        await publish(tx, projectId, piece, old, new Date(based_on));
        await store(tx, projectId, recomposed);
        await recordChange(tx, {
          ...changeOf(projectId, 'update', piece),
          before: { name: old.name },
          after: { name: piece.name, templates: recomposed.length },
        });
      });
      return true;
    });
    return isFound ? this.get(projectId, id) : null;
  }

  /**
   * @returns false if the project has no such piece
   * @throws AppError validation-failed on `templates` if published templates or layouts use the piece; unavailable
   */
  async delete(projectId: string, id: string): Promise<boolean> {
    return withUnchangedPieces(async () => {
      const { pieces: before, revision } = await readLibrary(this.#database, projectId);
      const piece = before.find((each) => each.id === id);
      if (piece === undefined) return false;
      const layouts = await brokenLayouts(
        this.#thread,
        projectId,
        before.filter((each) => each !== piece),
      );
      await writing(this.#database, projectId, revision, async (tx) => {
        const users = [
          ...(await usersOf(tx, projectId, id)).map(({ name }) => name),
          ...layouts.map(({ name }) => `the layout ${name}`),
        ];
        if (users.length > 0)
          throw validationError({ templates: `used by ${someOf(users)}; remove it there first` });
        await tx
          .deleteFrom('templatePieces')
          .where((row) => rowIs(row, { projectId, id }))
          .execute();
        const { name } = piece;
        await recordChange(tx, { ...changeOf(projectId, 'delete', piece), before: { name } });
      });
      return true;
    });
  }

  async #check(projectId: string, piece: Piece, pieces: readonly Piece[]): Promise<void> {
    const errors = await this.#thread.run(projectId, 'check-piece', { piece, pieces });
    if (Object.keys(errors).length > 0) throw validationError(errors);
  }
}

async function publish(
  tx: DatabaseTransaction,
  projectId: string,
  { id, name, html, text }: Piece,
  old: Piece,
  basedOn: Date,
): Promise<void> {
  const { updatedAt } = await tx
    .selectFrom('templatePieces')
    .select('updatedAt')
    .where((row) => rowIs(row, { projectId, id }))
    .executeTakeFirstOrThrow();
  // Accept an outdated request if the piece already has its content: it may be the retry of a request whose response was lost.
  const isRetry = old.name === name && old.html === html && old.text === text;
  if (updatedAt.getTime() !== basedOn.getTime() && !isRetry)
    throw validationError({
      based_on: 'another user has published it in the meantime; copy your text, and reload the page',
    });
  await tx
    .updateTable('templatePieces')
    .set({ name, html, text, updatedAt: clock.now() })
    .where((row) => rowIs(row, { projectId, id }))
    .execute();
  await checkPieceLimits(tx, projectId);
}

/** Stores the templates with the new piece. `updated_at` stays, because it is the time of the last change to the template itself. */
async function store(
  tx: DatabaseTransaction,
  projectId: string,
  templates: readonly Recomposed[],
): Promise<void> {
  for (const { id, ...composed } of templates)
    await tx
      .updateTable('templates')
      .set(composed)
      .where((row) => rowIs(row, { projectId, id }))
      .execute();
  await checkTemplateLimits(tx, projectId);
}

/** Allows one write to a project's templates at a time. @throws PiecesChanged if a piece has changed since the given revision */
async function writing(
  database: Database,
  projectId: string,
  revision: string,
  write: (tx: DatabaseTransaction) => Promise<void>,
): Promise<void> {
  try {
    await database.transaction().execute(async (tx) => {
      await lockProject(tx, projectId);
      if ((await libraryRevision(tx, projectId)) !== revision) throw new PiecesChanged();
      await write(tx);
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new AppError('already-exists', 'The project already has a layout or a partial with this name.', {
      errors: { name: 'is already in use' },
      cause: error,
    });
  }
}

function changeOf(
  projectId: string,
  verb: 'create' | 'update' | 'delete',
  { id, kind, name }: Pick<Piece, 'id' | 'kind' | 'name'>,
) {
  return {
    of: { projectId },
    action: `template-${kind}.${verb}`,
    target: encodeId('pce', id),
    targetName: name,
  } as const;
}

function someOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
