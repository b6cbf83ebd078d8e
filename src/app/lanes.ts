/** The pools of connections that a process opens beside its main one, so that none takes the connections of another. */
import type { DatabaseOptions } from '../db/database.ts';
import { TIMINGS } from '../db/timings.ts';
import { TIMINGS as INSPECT_TIMINGS } from '../insights/timings.ts';
import { STATEMENT_TIMEOUT_MS } from '../metrics/figures.ts';
import type { PoolName } from '../observe/pools.ts';
import type { Config } from './config.ts';

export type LaneName = Exclude<PoolName, 'main'>;

interface LaneOptions extends DatabaseOptions {
  poolSize: number;
}

/** A lane that only reads; its owners share it fairly (`FairReads`). */
function reads(poolSize: number): LaneOptions {
  return { poolSize, statementTimeoutMs: TIMINGS.readTimeoutMs, readsOnly: true };
}

type Sizes = Pick<Config, 'readConnections' | 'reportConnections' | 'mailConnections'>;

/** How many connections each lane may have, and what its statements may do. A lane is opened when it is first needed. */
const LANES: Readonly<Record<LaneName, (config: Sizes) => LaneOptions>> = {
  // Pages of a large log must not take the connections that accepting needs, nor those that show one email.
  lists: ({ readConnections }) => reads(readConnections),
  // Each read takes about a millisecond.
  emails: () => reads(2),
  // Single emails that people open in the dashboard.
  inspect: () => ({ poolSize: 2, statementTimeoutMs: INSPECT_TIMINGS.readTimeoutMs, readsOnly: true }),
  // Other pages of the dashboard that may take long.
  dashboard: () => reads(2),
  // People search now and then, and accepting needs the processor.
  search: () => reads(2),
  // People read their mail in a browser: a page of a list takes a few milliseconds.
  'web-mail': () => reads(3),
  'web-mail-search': () => reads(2),
  // A large folder must not take the connections that accepting needs.
  mail: ({ mailConnections }) => ({ poolSize: mailConnections }),
  // A flood of mail, or of reports, must not take the connections that accepting needs.
  reports: ({ reportConnections }) => ({ poolSize: reportConnections }),
  ses: ({ reportConnections }) => ({ poolSize: reportConnections }),
  // A count of a long queue must not take a connection that mail needs.
  metrics: () => ({ poolSize: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
  retention: () => ({ poolSize: 1 }),
  counting: () => ({ poolSize: 1 }),
  indexing: () => ({ poolSize: 1 }),
  // One connection holds the lock while a file is scanned, the other one finds its parts.
  scanning: () => ({ poolSize: 2 }),
};

export function laneOptions(name: LaneName, config: Sizes): LaneOptions {
  return LANES[name](config);
}
