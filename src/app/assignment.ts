import type { ConfiguredRole } from './config.ts';
import type { Ports } from './ports.ts';

/** `status` is the port of an instance that has no API: docs/operate/health.md. */
export type ProcessRole = ConfiguredRole | 'status';

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
  ports: Ports;
}
