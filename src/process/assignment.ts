/** What the supervisor and its children say to each other. */
import type { FirstStart } from '../app.ts';
import type { Role } from '../config.ts';

/** Where the roles that have a port listen. */
export interface Ports {
  http: number;
  smtp: number;
}

/** Null: nothing of the process listens there. */
export type OpenPorts = { [Name in keyof Ports]: number | null };

/** What one child runs, and with what. */
export interface Assignment {
  roles: Role[];
  databaseUrl: string;
  secret: string;
  /** uuid of this life of the child. */
  epoch: string;
  /** Epochs that are certainly over: what they held may be taken up at once. */
  deadEpochs: string[];
  /** 0 picks a free one. */
  ports: Ports;
}

export type Order =
  | { kind: 'prepare'; databaseUrl: string; secret: string }
  | { kind: 'start'; assignment: Assignment }
  /** Finish what is in flight and exit. */
  | { kind: 'stop' };

export type Report =
  | { kind: 'prepared'; firstStart: FirstStart | null }
  /** It runs. */
  | { kind: 'ready'; ports: OpenPorts }
  /** It cannot run, for a reason that whoever runs the service can mend. */
  | { kind: 'failed'; message: string };
