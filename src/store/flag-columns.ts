/** Flags of many messages in few bytes: as JSON, or as rows, they take three times as long. */
import { type RawBuilder, sql } from 'kysely';
import type { FlaggedMessage } from './change-flags.ts';

/** As PostgreSQL sends them: 14 bytes for each message, and the keywords of those that have some. */
export interface FlagColumns {
  packed: Buffer | null;
  keywords: [uid: number, keywords: string[]][] | null;
}

const OCTETS = 14;

/** The columns of a select over rows of `messages`, in their order there. */
export const FLAG_COLUMNS: RawBuilder<unknown> = sql.raw(
  `string_agg(int4send(uid) || int2send(flags) || int8send(modseq), ''::bytea) as packed,
  json_agg(json_build_array(uid, keywords)) filter (where keywords <> '{}') as keywords`,
);

export function flaggedMessages({ packed, keywords }: FlagColumns): FlaggedMessage[] {
  if (packed === null) return [];
  const named = new Map(keywords);
  return Array.from({ length: packed.length / OCTETS }, (_, index) => {
    const at = index * OCTETS;
    const uid = packed.readUInt32BE(at);
    return {
      uid,
      flags: packed.readUInt16BE(at + 4),
      modseq: packed.readUInt32BE(at + 6) * 2 ** 32 + packed.readUInt32BE(at + 10),
      keywords: named.get(uid) ?? [],
    };
  });
}
