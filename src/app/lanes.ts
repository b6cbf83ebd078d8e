/** The lanes of the one pool of a process: which connections each has for itself, so that none takes those of another. */
import { shareOfOne } from '../db/fair-reads.ts';
import type { PoolLaneOptions } from '../db/lane-pool.ts';
import { TIMINGS } from '../db/timings.ts';
import { TIMINGS as INSPECT_TIMINGS } from '../insights/timings.ts';
import { STATEMENT_TIMEOUT_MS } from '../metrics/figures.ts';
import type { PoolName } from '../observe/pools.ts';
import type { Config } from './config.ts';

/** Those that a core opens: the main one is open before it. */
export type LaneName = Exclude<PoolName, 'main'>;

/** @param own connections that no other lane takes; by default half of them */
function lane(max: number, own: number = Math.ceil(max / 2)): PoolLaneOptions {
  return { max, own };
}

/** A lane that only reads; its owners share it fairly (`FairReads`). Beside what one of them may take, it has a connection for another one. */
function reads(max: number, statementTimeoutMs: number = TIMINGS.readTimeoutMs): PoolLaneOptions {
  return { ...lane(max, Math.min(max, shareOfOne(max) + 1)), statementTimeoutMs, readsOnly: true };
}

type Sizes = Pick<Config, 'connections' | 'readConnections' | 'reportConnections' | 'mailConnections'>;

/** How many connections each lane may have, and what its statements may do. A lane is opened when it is first needed. */
const LANES: Readonly<Record<PoolName, (config: Sizes) => PoolLaneOptions>> = {
  // Emails are accepted and sent here. The two groups that commit at once must not wait for each other.
  main: ({ connections }) => lane(connections, Math.max(2, Math.ceil(connections / 2))),
  // Pages of a large log must not take the connections that accepting needs, nor those that show one email.
  lists: ({ readConnections }) => reads(readConnections),
  // Each read takes about a millisecond.
  emails: () => reads(2),
  // Single emails that people open in the dashboard.
  inspect: () => reads(2, INSPECT_TIMINGS.readTimeoutMs),
  // Other pages of the dashboard that may take long.
  dashboard: () => reads(2),
  // People search now and then, and accepting needs the processor.
  search: () => reads(2),
  // People read their mail in a browser: a page of a list takes a few milliseconds.
  'web-mail': () => reads(3),
  'web-mail-search': () => reads(2),
  // A large folder must not take the connections that accepting needs.
  mail: ({ mailConnections }) => lane(mailConnections),
  // A flood of mail, or of reports, must not take the connections that accepting needs.
  reports: ({ reportConnections }) => lane(reportConnections),
  ses: ({ reportConnections }) => lane(reportConnections),
  // A count of a long queue must not take a connection that mail needs.
  metrics: () => ({ ...lane(1), statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
  // Background jobs, which may wait until a spare connection is free.
  retention: () => lane(1, 0),
  counting: () => lane(1, 0),
  indexing: () => lane(1, 0),
  // One connection holds the lock while a file is scanned, the other one finds its parts.
  scanning: () => lane(2, 0),
};

export function laneOptions(name: PoolName, config: Sizes): PoolLaneOptions {
  return { name, ...LANES[name](config) };
}
