import { sql } from 'kysely';
import { type Cte, cte } from '../db/cte.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import { timeOf } from '../model/ids.ts';
import { TIMINGS } from './timings.ts';

/** Bytes that are ready to be referred to, by their digest. `Blobs.keep` makes it. */
export interface StoredBlob {
  readonly projectId: string;
  /** SHA-256 of the bytes: what a row of a message keeps of them. */
  readonly digest: Buffer;
  /** Of the bytes, before they were packed. */
  readonly size: number;
  /** Packed by zstd; null: they are an object. */
  readonly bytes: Buffer | null;
  /** The id of that object, which is durable already. */
  readonly object: string | null;
}

const ROWS = rowsOf<StoredBlob & { usedAt: Date }>('k', {
  project_id: ['uuid', (blob) => blob.projectId],
  digest: ['bytea', (blob) => blob.digest],
  size: ['int4', (blob) => blob.size],
  bytes: ['bytea', (blob) => blob.bytes],
  object: ['uuid', (blob) => blob.object],
  used_at: ['timestamptz', (blob) => blob.usedAt],
});

/**
 * Writes the rows of blobs, and holds them until the transaction ends, those also that were there already. The sweeper looks for
 * references while it holds the row itself: so it sees a reference that the same transaction writes, or waits and has no row left to
 * delete. References go into the same statement, or into a later one of the same transaction.
 *
 * A reference that is copied from another one (a message copied between folders) needs nothing of this, as long as its transaction
 * holds the row of the first reference until it ends.
 */
export function keepingBlobs(
  blobs: readonly StoredBlob[],
  { strayMs }: Pick<typeof TIMINGS, 'strayMs'> = TIMINGS,
): Cte {
  const usedAt = clock.now();
  const byKey = new Map<string, StoredBlob & { usedAt: Date }>();
  for (const blob of blobs) {
    if (blob.object !== null && usedAt.getTime() - timeOf(blob.object).getTime() > strayMs / 2)
      throw new Error('an object was made too long ago for a row to refer to it');
    byKey.set(blob.projectId + blob.digest.toString('hex'), { ...blob, usedAt });
  }
  // In the order of the key, so that two batches cannot wait for each other.
  const rows = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, blob]) => blob);
  return cte(
    'kept_blobs',
    sql`insert into blobs (${ROWS.names}) select ${ROWS.values} from ${ROWS.from(rows)}
      on conflict (project_id, digest) do update set used_at = excluded.used_at
      where blobs.used_at < excluded.used_at - interval '1 hour'`,
  );
}
