/** How busy the pools of connections to PostgreSQL are. */
import { counter, gauge } from './define.ts';

/** The parts of a process that have connections of their own, so that none takes those of another: the lanes of its pool. */
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

export interface PoolFigures {
  /** Connections that it may have. */
  max: number;
  busy: number;
  /** Connections that it used last, and that any part may take. */
  idle: number;
  waiting: number;
}

const watched = new Map<PoolName, () => PoolFigures>();

/** Shows the figures of a part until the process ends. */
export function watchPool(name: PoolName, figures: () => PoolFigures): void {
  watched.set(name, figures);
}

gauge(
  'posthorn_database_pool_connections',
  'Connections of a pool to PostgreSQL.',
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
  'Connections that a pool may have.',
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
  'Attempts to connect to PostgreSQL that were not made because too many had failed just before.',
);
