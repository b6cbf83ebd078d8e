/** Searches the people of a directory, page by page. */
import { type RawBuilder, sql } from 'kysely';
import type { FoundPeople, SearchPeopleQuery } from '../contract/dashboard/directory.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { FairReads } from '../db/fair-reads.ts';
import { cursorOf } from '../model/cursor.ts';
import { personOf } from './person.ts';

const FOUND = columnsOf({
  projectId: 'uuid',
  id: 'uuid',
  name: 'text',
  email: 'text',
  title: 'text?',
  organization: 'text?',
  notes: 'text?',
  mailboxId: 'uuid?',
  createdAt: 'timestamptz',
  nameKey: 'text',
});

const PAGE_END = cursorOf('people', { nameKey: 'text', id: 'uuid' });

/** Searches the directories of projects. All projects share a few database connections. */
export class PeopleSearch {
  readonly #reads: FairReads;

  constructor(reads: FairReads) {
    this.#reads = reads;
  }

  /** Finds people, sorted by name. @throws AppError validation-failed for an invalid cursor; unavailable */
  search(projectId: string, query: SearchPeopleQuery): Promise<FoundPeople> {
    return this.#reads.run(projectId, (database) => searchPeople(database, projectId, query), {
      tooLong: 'The directory cannot be searched at the moment. Try again.',
    });
  }
}

async function searchPeople(
  database: Database,
  projectId: string,
  { q = '', source, limit, cursor }: SearchPeopleQuery,
): Promise<FoundPeople> {
  const conditions: RawBuilder<boolean>[] = [peopleOf(projectId, source)];
  const text = q.trim().toLowerCase();
  if (text !== '')
    conditions.push(
      sql`position(${text} in lower(concat_ws(' ', p.name, p.email, p.title, p.organization))) > 0`,
    );
  if (cursor !== undefined) conditions.push(isBehind(cursor));
  const { rows } = await FOUND.sql`
    select p.project_id, p.id, p.name, p.email, p.title, p.organization, p.notes, p.mailbox_id, p.created_at, lower(p.name) as name_key
    from people p where ${sql.join(conditions, sql` and `)}
    order by lower(p.name), p.id limit ${limit + 1}`.execute(database);
  const last = rows[limit - 1];
  return {
    data: rows.slice(0, limit).map((row) => personOf(row, projectId)),
    next_cursor: rows.length > limit && last !== undefined ? PAGE_END.encode(last) : null,
  };
}

/**
 * SQL: a condition on a row `p` of `people`. It is true for the project's own people, for the people that other projects share with it, or
 * for a part of these, as `source` says.
 */
function peopleOf(projectId: string, source: SearchPeopleQuery['source']): RawBuilder<boolean> {
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

/** @throws AppError validation-failed */
function isBehind(cursor: string): RawBuilder<boolean> {
  const { nameKey, id } = PAGE_END.decode(cursor);
  return sql`(lower(p.name), p.id) > (${nameKey}, ${id}::uuid)`;
}
