import { type RawBuilder, sql } from 'kysely';

/**
 * A common table expression that other parts of the same statement reference only by `name`. Functions that return CTEs are named with a
 * gerund, such as `settling` or `recordingEvents`.
 */
export interface Cte {
  readonly name: RawBuilder<unknown>;
  /** The CTE, preceded by the CTEs that it needs, for `with ${settled.sql} select ...`. */
  readonly sql: RawBuilder<unknown>;
}

/** @param before other CTEs that `body` needs */
export function cte(name: string, body: RawBuilder<unknown>, before?: RawBuilder<unknown>): Cte {
  const itself = sql`${sql.raw(name)} as (${body})`;
  return { name: sql.raw(name), sql: before === undefined ? itself : sql`${before}, ${itself}` };
}
