import type { ExpressionBuilder, FilterObject } from 'kysely';

/**
 * Condition that the columns have the given values: `where((row) => rowIs(row, { projectId, id }))`.
 *
 * @throws TypeError if a value is missing. Kysely omits conditions on undefined values, and a statement without its project would affect
 * the rows of all projects.
 */
export function rowIs<DB, TB extends keyof DB>(row: ExpressionBuilder<DB, TB>, values: FilterObject<DB, TB>) {
  for (const [column, value] of Object.entries(values))
    if (value === undefined || value === null) throw new TypeError(`the value of ${column} is missing`);
  return row.and(values);
}
