/** The states of the queue that are counted and found, as conditions on a row of `queue`. */
import { type RawBuilder, sql } from 'kysely';
import type { QueueState } from '../model/queue-states.ts';
import { IS_DEFERRED } from './deferred.ts';
import { IS_LATER } from './fragments.ts';

/** A scheduled email does not wait before its time. */
export const IN_STATE: Readonly<Record<QueueState, RawBuilder<boolean>>> = {
  waiting: sql`(not ${IS_LATER})`,
  untried: sql`(attempts = 0 and not ${IS_LATER})`,
  'in-flight': sql`(in_flight and not ${IS_LATER})`,
  deferred: IS_DEFERRED,
  // Parked for a destination, which does not accept mail, rejects the sender, has a backlog or is paused.
  unavailable: sql`(next_attempt_at = 'infinity' and destination is not null and not ${IS_LATER})`,
};
