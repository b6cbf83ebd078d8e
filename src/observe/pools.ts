/** Metrics of the PostgreSQL connection pools. */
import { counter, gauge } from './define.ts';

/** The lanes of a process's connection pool. Each lane has connections reserved, which no other lane can use. */
const POOLS = [
  'main',
  'lists',
  'emails',
  'dashboard',
  'search',
  'inspect',
  'reports',
  'mail',
  'webhooks',
  'web-mail',
  'web-mail-search',
  'ses',
  'metrics',
  'retention',
  'indexing',
  'counting',
  'scanning',
  'alerts',
  'push',
] as const;
export type PoolName = (typeof POOLS)[number];

export interface PoolFigures {
  /** The maximum number of connections that the lane may use. */
  max: number;
  busy: number;
  /** Idle connections that this lane used last. Any lane may use them next. */
  idle: number;
  waiting: number;
}

const watched = new Map<PoolName, () => PoolFigures>();

/** Reports the metrics of a lane until the process ends. */
export function watchPool(name: PoolName, figures: () => PoolFigures): void {
  watched.set(name, figures);
}

gauge(
  'posthorn_database_pool_connections',
  'Connections of a pool to PostgreSQL, by state.',
  { pool: POOLS, state: ['idle', 'busy'] },
  (gauge) => {
    for (const [pool, figures] of watched) {
      const { idle, busy } = figures();
      gauge.set({ pool, state: 'idle' }, idle);
      gauge.set({ pool, state: 'busy' }, busy);
    }
  },
);

gauge(
  'posthorn_database_pool_max_connections',
  'Maximum connections of a pool.',
  { pool: POOLS },
  (gauge) => {
    for (const [pool, figures] of watched) gauge.set({ pool }, figures().max);
  },
);

gauge(
  'posthorn_database_pool_waiting',
  'Queries that wait for a connection of a pool.',
  { pool: POOLS },
  (gauge) => {
    for (const [pool, figures] of watched) gauge.set({ pool }, figures().waiting);
  },
);

export const connectionAttempts = counter(
  'posthorn_database_connection_attempts_total',
  'Attempts of this process to connect to PostgreSQL.',
  { result: ['connected', 'failed'] },
);

export const deferredConnectionAttempts = counter(
  'posthorn_database_connection_attempts_deferred_total',
  'Connection attempts to PostgreSQL that were skipped because too many had failed just before.',
);
