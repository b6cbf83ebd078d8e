import { type RawBuilder, sql } from 'kysely';

/**
 * A common table expression that another part of its statement refers to, by `name` and by nothing else. A function that
 * returns one, or several as SQL, is named in the gerund: `settling`, `recordingEvents`.
 */
export interface Cte {
  readonly name: RawBuilder<unknown>;
  /** The CTE, behind those that it needs: for `with ${settled.sql} select ...`. */
  readonly sql: RawBuilder<unknown>;
}

/** @param before other common table expressions, which `body` needs */
export function cte(name: string, body: RawBuilder<unknown>, before?: RawBuilder<unknown>): Cte {
  const itself = sql`${sql.raw(name)} as (${body})`;
  return { name: sql.raw(name), sql: before === undefined ? itself : sql`${before}, ${itself}` };
}
