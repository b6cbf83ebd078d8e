/** Records when keys were last used: at most once a minute, in batches, in the background. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { rowsOf } from '../../db/rows.ts';
import * as clock from '../../model/clock.ts';

export interface KeyUse {
  /** uuid */
  projectId: string;
  /** uuid */
  keyId: string;
  lastUsedAt: Date | null;
}

type UsedKey = Pick<KeyUse, 'projectId' | 'keyId'>;

const NOTED_MS = 60_000;
const MAX_BATCH = 500;
/** Maximum number of pending writes. If the database is slow, uses beyond this limit are recorded later. */
const MAX_WAITING = 5_000;

const USED = rowsOf<UsedKey>('u', {
  project_id: ['uuid', ({ projectId }) => projectId],
  id: ['uuid', ({ keyId }) => keyId],
});

export class KeyUses {
  readonly #writes: GroupCommit<UsedKey, null>;

  constructor(database: Database) {
    this.#writes = new GroupCommit({
      flights: 1,
      maxItems: MAX_BATCH,
      flush: (keys) => write(database, keys),
    });
  }

  static isDue({ lastUsedAt }: KeyUse): boolean {
    return lastUsedAt === null || clock.nowMs() - lastUsedAt.getTime() >= NOTED_MS;
  }

  note({ projectId, keyId }: UsedKey): void {
    // If the write fails, the request continues, because the next look-up of the key records the use again.
    this.#writes.tryAdd({ projectId, keyId }, MAX_WAITING).catch(() => {});
  }
}

/** Skips rows locked by another transaction: that transaction records the use in another process, or revokes the key. */
async function write(database: Database, keys: readonly UsedKey[]): Promise<null[]> {
  const now = clock.now();
  await sql`
    update api_keys k set last_used_at = ${now}
    from (
      select k.project_id, k.id from ${USED.from(keys)} join api_keys k using (project_id, id)
      where k.last_used_at is null or k.last_used_at <= ${new Date(now.getTime() - NOTED_MS)}::timestamptz
      for no key update of k skip locked) due
    where k.project_id = due.project_id and k.id = due.id`.execute(database);
  return keys.map(() => null);
}
