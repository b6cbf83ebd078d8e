/** The lanes of a process's connection pool. Each lane reserves connections, so that no lane can starve another. */
import { shareOfOne } from '../db/fair-reads.ts';
import type { PoolLaneOptions } from '../db/lane-pool.ts';
import { TIMINGS } from '../db/timings.ts';
import { TIMINGS as INSPECT_TIMINGS } from '../insights/timings.ts';
import { STATEMENT_TIMEOUT_MS } from '../metrics/figures.ts';
import type { PoolName } from '../observe/pools.ts';
import type { Config } from './config.ts';

/** Lanes that a core opens. `main` is opened before the core. */
export type LaneName = Exclude<PoolName, 'main'>;

/** @param own connections reserved for the lane; default: half of `max` */
function lane(max: number, own: number = Math.ceil(max / 2)): PoolLaneOptions {
  return { max, own };
}

/**
 * A read-only lane, shared fairly between owners (`FairReads`). It reserves one connection more than a single owner may use, so that there
 * is always one for another owner.
 */
function reads(max: number, statementTimeoutMs: number = TIMINGS.readTimeoutMs): PoolLaneOptions {
  return { ...lane(max, Math.min(max, shareOfOne(max) + 1)), statementTimeoutMs, readsOnly: true };
}

type Sizes = Pick<Config, 'connections' | 'readConnections' | 'reportConnections' | 'mailConnections'>;

/** The connections of each lane, and the time limit of its statements. */
const LANES: Readonly<Record<PoolName, (config: Sizes) => PoolLaneOptions>> = {
  // Accepting and sending emails. At least two connections are reserved, because two group commits run at once and must not wait for each
  // other.
  main: ({ connections }) => lane(connections, Math.max(2, Math.ceil(connections / 2))),
  // Lists of emails. Reading pages of a long log must not take the connections that accept emails or show a single one.
  lists: ({ readConnections }) => reads(readConnections),
  // Reads of single emails, which take about a millisecond each.
  emails: () => reads(2),
  // Pages of single emails in the dashboard.
  inspect: () => reads(2, INSPECT_TIMINGS.readTimeoutMs),
  // Other slow pages of the dashboard.
  dashboard: () => reads(2),
  // Searching emails. Searches are rare, and more of them at once would take CPU time from accepting emails.
  search: () => reads(2),
  // Reading mail in the web client: a page of a list takes a few milliseconds.
  'web-mail': () => reads(3),
  'web-mail-search': () => reads(2),
  // Loading the content of webhook deliveries. A lane of its own, because only statements that lock nothing may prune partitions.
  webhooks: () => ({ ...lane(2, 0), readsOnly: true, byKey: true }),
  // Mail apps. Reading a large folder must not take the connections that accept emails.
  mail: ({ mailConnections }) => lane(mailConnections),
  // Incoming mail and reports. A flood of either must not take the connections that accept outgoing emails.
  reports: ({ reportConnections }) => lane(reportConnections),
  ses: ({ reportConnections }) => lane(reportConnections),
  // Metrics. Counting a long queue must not take a connection that mail needs.
  metrics: () => ({ ...lane(1), statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
  // Deleting expired data. No connection is reserved, because background jobs can wait.
  retention: () => lane(1, 0),
  counting: () => lane(1, 0),
  indexing: () => lane(1, 0),
  // Scanning files of links: one connection holds the lock while a file is scanned, and one reads the parts of the file.
  scanning: () => lane(2, 0),
  // Alerts. One connection is reserved, because alerts must report that the others are busy.
  alerts: () => ({ ...lane(2, 1), statementTimeoutMs: TIMINGS.readTimeoutMs }),
  // Notifications of new mail in browsers, which can wait.
  push: () => ({ ...lane(1, 0), statementTimeoutMs: TIMINGS.readTimeoutMs }),
};

export function laneOptions(name: PoolName, config: Sizes): PoolLaneOptions {
  return { name, ...LANES[name](config) };
}
