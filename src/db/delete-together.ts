import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from './columns.ts';
import type { Database } from './database.ts';

const DELETED = columnsOf({ rows: 'float8' });

/**
 * Runs several `delete` statements as one statement, until no statement deletes any rows. Usually there are none, and one commit shows that.
 * @param deletions statements without `returning` that each delete a limited number of rows
 * @yields the number of deleted rows
 */
export async function* deletingTogether(
  database: Database,
  deletions: readonly RawBuilder<unknown>[],
): AsyncGenerator<number, void, void> {
  const named = deletions.map((deletion, at) => ({ deletion, name: sql.raw(`deleted${at}`) }));
  const statement = DELETED.sql`
    with ${sql.join(named.map(({ deletion, name }) => sql`${name} as (${deletion} returning 1)`))}
    select (${sql.join(
      named.map(({ name }) => sql`(select count(*) from ${name})`),
      sql` + `,
    )})::float8 as rows`;
  for (;;) {
    const { rows } = await statement.execute(database);
    const count = rows[0]?.rows ?? 0;
    if (count === 0) return;
    yield count;
  }
}
