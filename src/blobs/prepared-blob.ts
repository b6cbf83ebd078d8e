import { sql } from 'kysely';
import { type Cte, cte } from '../db/cte.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import { timeOf } from '../model/ids.ts';
import { TIMINGS } from './timings.ts';

/** A blob whose row can be written with `writingBlobs`. Created by `Blobs.prepare`. */
export interface PreparedBlob {
  readonly projectId: string;
  /** SHA-256 of the bytes. Rows of messages reference the blob by this digest. */
  readonly digest: Buffer;
  /** The size before compression, in bytes. */
  readonly size: number;
  /** The bytes, compressed with zstd. Null if the bytes are an object. */
  readonly bytes: Buffer | null;
  /** The id of the object, which is already durable. Null if the bytes will be in the row. */
  readonly object: string | null;
}

const ROWS = rowsOf<PreparedBlob & { usedAt: Date }>('k', {
  project_id: ['uuid', (blob) => blob.projectId],
  digest: ['bytea', (blob) => blob.digest],
  size: ['int4', (blob) => blob.size],
  bytes: ['bytea', (blob) => blob.bytes],
  object: ['uuid', (blob) => blob.object],
  used_at: ['timestamptz', (blob) => blob.usedAt],
});

/**
 * Writes the rows of blobs and locks them until the transaction ends, including rows that already exist. The sweeper skips locked rows and
 * checks for references only after it has locked a row itself, so it cannot miss a reference that this transaction writes. The caller must
 * write the references in the same statement, or in a later statement of the same transaction.
 *
 * A transaction that copies a reference (for example, when a message is copied to another folder) need not call this. It is enough that it
 * locks the row with the original reference until it ends.
 */
export function writingBlobs(
  blobs: readonly PreparedBlob[],
  { strayMs }: Pick<typeof TIMINGS, 'strayMs'> = TIMINGS,
): Cte {
  const usedAt = clock.now();
  const byKey = new Map<string, PreparedBlob & { usedAt: Date }>();
  for (const blob of blobs) {
    if (blob.object !== null && usedAt.getTime() - timeOf(blob.object).getTime() > strayMs / 2)
      throw new Error('the object is too old for a row to reference it');
    byKey.set(blob.projectId + blob.digest.toString('hex'), { ...blob, usedAt });
  }
  // Sort the rows by key, so that two transactions that write the same rows cannot deadlock.
  const rows = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, blob]) => blob);
  return cte(
    'written_blobs',
    sql`insert into blobs (${ROWS.names}) select ${ROWS.values} from ${ROWS.from(rows)}
      on conflict (project_id, digest) do update set used_at = excluded.used_at
      where blobs.used_at < excluded.used_at - interval '1 hour'`,
  );
}
