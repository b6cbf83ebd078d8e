/**
 * Records opens and clicks of tracked messages. Recipients wait for the response, and a message to many recipients is opened by many of
 * them at once. So requests share a commit, and a repeated hit that changes nothing never reaches the database.
 */
import type { Database } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { outcomes } from '../../observe/instruments.ts';
import { EVENT_OF, type HitResult, recipientKey, recordHits, type TrackingHit } from './record-hits.ts';

export interface TrackingRecorderOptions {
  database: Database;
  /** Called after events were written, to wake the code that processes events. */
  onEvents(): void;
}

/** The maximum number of concurrent commits. Small, because accepting emails needs connections too. */
const FLIGHTS = 2;
const MAX_BATCH = 200;
/** The maximum number of waiting hits. Each takes about 2 KB of memory. */
const MAX_WAITING = 2_000;
/** The maximum number of entries in `#settled`. Each takes about 200 bytes. */
const MAX_SETTLED = 10_000;

export class TrackingRecorder {
  readonly #commit: GroupCommit<TrackingHit, HitResult>;
  /** Hits that change nothing any more, least recently repeated first. */
  readonly #settled = new BoundedMap<string, true>(MAX_SETTLED);

  constructor({ database, onEvents }: TrackingRecorderOptions) {
    this.#commit = new GroupCommit({
      flights: FLIGHTS,
      maxItems: MAX_BATCH,
      flush: async (hits) => {
        const results = await database.transaction().execute((tx) => recordHits(tx, hits));
        const recorded = hits.filter((_, at) => results[at] === 'recorded');
        for (const { kind } of recorded) outcomes.inc({ type: EVENT_OF[kind] });
        if (recorded.length > 0) onEvents();
        return results;
      },
    });
  }

  /** Resolves after the commit. `lost`: the database is unreachable or overloaded. */
  async record(hit: TrackingHit): Promise<HitResult | 'lost'> {
    const key = `${hit.kind} ${hit.isMachine} ${recipientKey(hit.of)}`;
    if (this.#settled.has(key)) {
      this.#settled.set(key, true);
      return 'repeated';
    }
    const result = await this.#commit.tryAdd(hit, MAX_WAITING);
    if (result === 'repeated' || (result === 'recorded' && hit.kind === 'open')) this.#settled.set(key, true);
    return result;
  }
}
