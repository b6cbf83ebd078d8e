/** What a recipient in the queue waits for. Several may be true; `waiting` is true for all but scheduled emails. */
export const QUEUE_STATES = ['waiting', 'untried', 'in-flight', 'deferred', 'unavailable'] as const;
export type QueueState = (typeof QUEUE_STATES)[number];
