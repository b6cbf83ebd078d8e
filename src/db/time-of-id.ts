import { type RawBuilder, sql } from 'kysely';

/** SQL for the milliseconds of a UUIDv7 (RFC 9562, section 5.7), as a bigint; counterpart of `timeOf` in model/ids.ts. */
export function timeOfId(id: RawBuilder<unknown>): RawBuilder<number> {
  return sql`('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint`;
}
