import type { ConfiguredRole } from './config.ts';
import type { Ports } from './ports.ts';

/** `status` serves `/readyz` and `/metrics` on an instance without the API: docs/operate/health.md. */
export type ProcessRole = ConfiguredRole | 'status';

/** The roles of one process, and what they need to start. */
export interface Assignment {
  /** The name of the process in metrics. If the process dies, the one that replaces it gets the same name. */
  name: string;
  roles: ProcessRole[];
  databaseUrl: string;
  secret: string;
  /** uuid of this run of the process, and of its worker's first lease. */
  leaseId: string;
  /**
   * The lease ids of earlier runs of this process that have certainly ended. Another worker may claim their queue rows at once, without
   * waiting until the leases expire.
   */
  deadLeaseIds: string[];
  ports: Ports;
}
