import { type RawBuilder, sql } from 'kysely';

/** The milliseconds of a UUIDv7 (RFC 9562, section 5.7), as a bigint; `timeOf` of ids is the same of a text. */
export function timeOfId(id: RawBuilder<unknown>): RawBuilder<number> {
  return sql`('x' || translate(left(${id}::text, 13), '-', ''))::bit(48)::bigint`;
}
