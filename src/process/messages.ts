/** The messages between the supervisor and its children. */
import type { Prepared } from '../app/app.ts';
import type { Assignment, ProcessRole } from '../app/assignment.ts';
import type { OpenPorts } from '../app/ports.ts';

export type ToChild =
  /** Makes the child load the code of its roles while the database starts. */
  | { kind: 'load'; roles: ProcessRole[] }
  | { kind: 'prepare'; databaseUrl: string; secret: string }
  | { kind: 'start'; assignment: Assignment }
  /** Asks the child for its metrics. It replies with `figures`. */
  | { kind: 'report-figures' }
  /** The reply to `request-figures`: the metrics of the other children, and the number of children that did not report theirs. */
  | { kind: 'figures-of-others'; figures: string[]; missing: number }
  /** Tells the child whether all other children that have a port are listening. */
  | { kind: 'others-listen'; all: boolean }
  /** Makes the child finish its work in flight and exit. */
  | { kind: 'stop' };

/** The reason why the database is unavailable. */
export interface DatabaseWait {
  /** A sentence without secrets, which is also sent to clients. */
  reason: string;
  /** The error from the connection or from PostgreSQL, for the operator. */
  detail: string;
}

export type FromChild =
  | ({ kind: 'prepared' } & Prepared)
  /** The roles are running. */
  | { kind: 'ready'; ports: OpenPorts }
  /** The metrics of the child in the Prometheus text format; null while it has none. */
  | { kind: 'figures'; figures: string | null }
  | { kind: 'request-figures' }
  /** The database is unavailable. The child retries until the database is available. */
  | ({ kind: 'waits' } & DatabaseWait)
  /**
   * The database connection was lost while the roles started, so the child will exit. A new child may succeed once the database is
   * available again.
   */
  | ({ kind: 'lost-database' } & DatabaseWait)
  /** The child cannot run, for a reason that the operator can fix. */
  | { kind: 'failed'; message: string; exitCode: number };
