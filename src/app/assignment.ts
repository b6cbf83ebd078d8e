import type { Role } from './config.ts';

/** `status` is the port of an instance that has no API: docs/operate/health.md. */
export type ProcessRole = Role | 'status';

/** Where the roles that have a port listen. */
export interface Ports {
  /** The port of the API; without an API, that of the status. */
  http: number;
  smtp: number;
}

/** Null: nothing of the process listens there. */
export type OpenPorts = { [Name in keyof Ports]: number | null };

/** What one process runs, and with what. */
export interface Assignment {
  /** The name of the process in metrics; the process that takes over when it dies has it too. */
  name: string;
  roles: ProcessRole[];
  databaseUrl: string;
  secret: string;
  /** uuid of this run of the process, and of a worker's first lease in it. */
  leaseId: string;
  /** Those of runs that are certainly over: what they held may be taken up at once. */
  deadLeaseIds: string[];
  /** 0 picks a free one. */
  ports: Ports;
}
