/** How busy the pools of connections to PostgreSQL are. */
import { counter, gauge } from './define.ts';

/** The parts of a process that have a pool of their own, so that none takes the connections of another. */
const POOLS = [
  'main',
  'lists',
  'emails',
  'dashboard',
  'search',
  'inspect',
  'reports',
  'mail',
  'web-mail',
  'web-mail-search',
  'ses',
  'metrics',
  'retention',
  'indexing',
  'counting',
  'scanning',
] as const;
export type PoolName = (typeof POOLS)[number];

/** As pg has it. */
interface WatchedPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

const watched = new Map<PoolName, WatchedPool>();

/** Shows the pool until the process ends. */
export function watchPool(name: PoolName, pool: WatchedPool): void {
  watched.set(name, pool);
}

/** How many connections all pools of this process may have together. */
export function maxPoolConnections(): number {
  return [...watched.values()].reduce((sum, { options }) => sum + options.max, 0);
}

gauge(
  'posthorn_database_pool_connections',
  'Connections of a pool to PostgreSQL.',
  { pool: POOLS, state: ['idle', 'busy'] },
  (gauge) => {
    for (const [pool, { totalCount, idleCount }] of watched) {
      gauge.set({ pool, state: 'idle' }, idleCount);
      gauge.set({ pool, state: 'busy' }, totalCount - idleCount);
    }
  },
);

gauge(
  'posthorn_database_pool_max_connections',
  'Connections that a pool may have.',
  { pool: POOLS },
  (gauge) => {
    for (const [pool, { options }] of watched) gauge.set({ pool }, options.max);
  },
);

gauge(
  'posthorn_database_pool_waiting',
  'Queries that wait for a connection of a pool.',
  { pool: POOLS },
  (gauge) => {
    for (const [pool, { waitingCount }] of watched) gauge.set({ pool }, waitingCount);
  },
);

export const connectionAttempts = counter(
  'posthorn_database_connection_attempts_total',
  'Attempts of this process to connect to PostgreSQL.',
  { result: ['connected', 'failed'] },
);

export const deferredConnectionAttempts = counter(
  'posthorn_database_connection_attempts_deferred_total',
  'Attempts to connect to PostgreSQL that were not made because too many had failed just before.',
);
