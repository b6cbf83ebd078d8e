/** One page of a suppression list. */
import { type RawBuilder, sql } from 'kysely';
import type { SuppressionList } from '../../contract/suppressions.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { cursorOf } from '../../model/cursor.ts';
import { SUPPRESSION_REASONS, type SuppressionReason } from '../../model/suppression-reasons.ts';
import { shown, SUPPRESSION } from './suppression-rows.ts';

interface Page {
  limit: number;
  /** `next_cursor` of the previous page. Null: the first page. */
  cursor: string | null;
  /** Null: all reasons. */
  reason: SuppressionReason | null;
  /** Conditions on the row `s` of `suppressions`. */
  filters: readonly RawBuilder<boolean>[];
}

const PLACED = columnsOf({
  ...SUPPRESSION.kinds,
  /** The time of creation in microseconds, because a JavaScript Date has only milliseconds. */
  at: 'text',
  addressKey: 'text',
});

const PAGE_END = cursorOf('suppressions', { at: 'micros', addressKey: 'text' });

/**
 * Reads one page, newest first. For each reason, at most a page of entries is read from the index; the newest of all these are returned.
 * @throws AppError validation-failed for an invalid cursor
 */
export async function readPage(
  database: Database,
  projectId: string,
  { limit, cursor, reason, filters }: Page,
): Promise<SuppressionList> {
  const conditions = [
    ...filters,
    ...(cursor === null ? [] : [isBehind(cursor)]),
    sql`(s.expires_at is null or s.expires_at > now())`,
  ];
  const { rows } = await PLACED.sql`
    select found.*, (extract(epoch from created_at) * 1000000)::bigint::text as at
    from unnest(${reason === null ? SUPPRESSION_REASONS : [reason]}::text[]) as reasons (reason)
    cross join lateral (
      select s.address, s.reason, s.detail, s.email_id, s.created_at, s.expires_at, s.address_key
      from suppressions s
      where s.project_id = ${projectId} and s.reason = reasons.reason and ${sql.join(conditions, sql` and `)}
      order by s.created_at desc, s.address_key desc
      limit ${limit + 1}
    ) found
    order by created_at desc, address_key desc
    limit ${limit + 1}`.execute(database);
  const last = rows[limit - 1];
  return {
    data: rows.slice(0, limit).map(shown),
    next_cursor: rows.length > limit && last !== undefined ? PAGE_END.encode(last) : null,
  };
}

/** The condition for entries after the end of a page. @throws AppError validation-failed */
function isBehind(cursor: string): RawBuilder<boolean> {
  const { at, addressKey } = PAGE_END.decode(cursor);
  return sql`(s.created_at, s.address_key)
    < (timestamptz 'epoch' + ${at}::bigint * interval '1 microsecond', ${addressKey})`;
}
