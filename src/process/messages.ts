/** What the supervisor and its children say to each other. */
import type { Prepared } from '../app/app.ts';
import type { Assignment } from '../app/assignment.ts';
import type { OpenPorts } from '../app/ports.ts';

export type ToChild =
  | { kind: 'prepare'; databaseUrl: string; secret: string }
  | { kind: 'start'; assignment: Assignment }
  /** Answered by `figures`. */
  | { kind: 'tell-figures' }
  /** The answer to `want-figures`: the figures of the other children, and how many did not tell theirs. */
  | { kind: 'figures-of-others'; figures: string[]; missing: number }
  /** Whether all other children of this instance that have a port listen. */
  | { kind: 'others-listen'; all: boolean }
  /** Finish what is in flight and exit. */
  | { kind: 'stop' };

/** Why the database cannot be used now. */
export interface DatabaseWait {
  /** A sentence that anyone may read. */
  reason: string;
  /** What the connection or PostgreSQL says, for the operator. */
  detail: string;
}

export type FromChild =
  | ({ kind: 'prepared' } & Prepared)
  /** The roles run. */
  | { kind: 'ready'; ports: OpenPorts }
  /** In the text format of Prometheus; null: there are no figures yet. */
  | { kind: 'figures'; figures: string | null }
  | { kind: 'want-figures' }
  /** The database cannot be used now, and the child tries again. */
  | ({ kind: 'waits' } & DatabaseWait)
  /** The database went away while the roles started, so the child ends; another start may work as soon as the database is back. */
  | ({ kind: 'lost-database' } & DatabaseWait)
  /** It cannot run, for a reason that the operator can fix. */
  | { kind: 'failed'; message: string; exitCode: number };
