/** What the supervisor and its children say to each other. */
import type { FirstStart } from '../app/app.ts';
import type { ProcessRole } from './plan.ts';

/** Where the roles that have a port listen. */
export interface Ports {
  /** Of the API; without it, of the status. */
  http: number;
  smtp: number;
}

/** Null: nothing of the process listens there. */
export type OpenPorts = { [Name in keyof Ports]: number | null };

/** What one child runs, and with what. */
export interface Assignment {
  /** Of the process, in metrics; the one that takes over when it dies has it too. */
  name: string;
  roles: ProcessRole[];
  databaseUrl: string;
  secret: string;
  /** uuid: of the first lease of a worker in this run of the child. */
  leaseId: string;
  /** Lease ids that are certainly over: what they held may be taken up at once. */
  deadLeaseIds: string[];
  /** 0 picks a free one. */
  ports: Ports;
}

export type Order =
  | { kind: 'prepare'; databaseUrl: string; secret: string }
  | { kind: 'start'; assignment: Assignment }
  /** Tell your figures. */
  | { kind: 'tell-figures' }
  /** The answer to `want-figures`: those of the other children, and how many did not tell theirs. */
  | { kind: 'figures-of-others'; figures: string[]; missing: number }
  /** Finish what is in flight and exit. */
  | { kind: 'stop' };

export type Report =
  | { kind: 'prepared'; firstStart: FirstStart | null }
  /** It runs. */
  | { kind: 'ready'; ports: OpenPorts }
  /** In the text format of Prometheus; null: there are none yet. */
  | { kind: 'figures'; figures: string | null }
  | { kind: 'want-figures' }
  /** It cannot run, for a reason that whoever runs the service can mend. */
  | { kind: 'failed'; message: string };
