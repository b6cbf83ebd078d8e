import type { ExpressionBuilder, FilterObject } from 'kysely';

/**
 * That columns have these values: `where((row) => rowIs(row, { projectId, id }))`.
 *
 * @throws TypeError for a value that is missing. Kysely leaves out a condition on what is undefined, and a statement that
 * has lost its project would reach the rows of all of them.
 */
export function rowIs<DB, TB extends keyof DB>(row: ExpressionBuilder<DB, TB>, values: FilterObject<DB, TB>) {
  for (const [column, value] of Object.entries(values))
    if (value === undefined || value === null) throw new TypeError(`there is no ${column} to look for`);
  return row.and(values);
}
