/** The people of a directory, page by page, for people who look for somebody. */
import { type RawBuilder, sql } from 'kysely';
import type { FoundPeople, SearchPeopleQuery } from '../contract/dashboard/directory.ts';
import { type Database, hasTimedOut } from '../db/database.ts';
import { AppError, validationError } from '../model/app-error.ts';
import { decodeId, encodeId } from '../model/ids.ts';
import { Turns } from '../model/turns.ts';
import { personOf, type PersonRow } from './person.ts';

type Placed = PersonRow & { nameKey: string };

const TIMEOUT_MS = 3_000;
/** Of one project. */
const MAX_WAITING = 20;
const RETRY_SECONDS = 5;

/** For many projects over few connections. */
export class PeopleSearch {
  readonly #database: Database;
  readonly #turns: Turns;

  /**
   * @param database with a time-out for its statements, and nobody else's but other pages'
   * @param connections how many it has
   */
  constructor(database: Database, connections: number) {
    this.#database = database;
    this.#turns = new Turns({
      places: connections,
      placesOfOne: Math.max(1, Math.floor(connections / 2)),
      maxWaitingOfOne: MAX_WAITING,
      refusal: tooLong,
    });
  }

  /** By name. @throws AppError validation-failed for a cursor that was not given out; unavailable */
  async search(projectId: string, query: SearchPeopleQuery): Promise<FoundPeople> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooLong()), TIMEOUT_MS);
    try {
      return await this.#turns.run(projectId, late.signal, () =>
        searchPeople(this.#database, projectId, query),
      );
    } catch (error) {
      throw hasTimedOut(error) ? tooLong() : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooLong(): AppError {
  return new AppError('unavailable', 'The directory cannot be searched at the moment. Try again.', {
    retryAfterSeconds: RETRY_SECONDS,
  });
}

async function searchPeople(
  database: Database,
  projectId: string,
  { q = '', source, limit, cursor }: SearchPeopleQuery,
): Promise<FoundPeople> {
  const conditions: RawBuilder<boolean>[] = [whose(projectId, source)];
  const text = q.trim().toLowerCase();
  if (text !== '')
    conditions.push(
      sql`position(${text} in lower(concat_ws(' ', p.name, p.email, p.title, p.organization))) > 0`,
    );
  if (cursor !== undefined) conditions.push(isBehind(cursor));
  const { rows } = await sql<Placed>`
    select p.*, lower(p.name) as name_key from people p where ${sql.join(conditions, sql` and `)}
    order by lower(p.name), p.id limit ${limit + 1}`.execute(database);
  const last = rows[limit - 1];
  return {
    data: rows.slice(0, limit).map((row) => personOf(row, projectId)),
    next_cursor: rows.length > limit && last !== undefined ? encodeCursor(last) : null,
  };
}

/** Of the project itself, and of those that share theirs with it. */
function whose(projectId: string, source: SearchPeopleQuery['source']): RawBuilder<boolean> {
  const own = sql<boolean>`p.project_id = ${projectId}`;
  const shared = sql<boolean>`p.project_id in (select project_id from shares where to_project_id = ${projectId})`;
  switch (source) {
    case undefined:
      return sql`(${own} or ${shared})`;
    case 'shared':
      return shared;
    case 'mailbox':
      return sql`(${own} and p.mailbox_id is not null)`;
    case 'manual':
      return sql`(${own} and p.mailbox_id is null)`;
  }
}

function encodeCursor({ id, nameKey }: Pick<Placed, 'id' | 'nameKey'>): string {
  return Buffer.from(`${encodeId('per', id)} ${nameKey}`).toString('base64url');
}

/** @throws AppError validation-failed for what `encodeCursor` did not write */
function isBehind(cursor: string): RawBuilder<boolean> {
  const [, person = '', nameKey = ''] =
    /^(\S+) ([^\0]+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const id = decodeId('per', person);
  if (id === null || encodeCursor({ id, nameKey }) !== cursor)
    throw validationError({ cursor: 'is not a cursor of this list' });
  return sql`(lower(p.name), p.id) > (${nameKey}, ${id}::uuid)`;
}
