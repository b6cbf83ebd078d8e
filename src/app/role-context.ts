import type { Logger } from 'pino';
import { type Database, type DatabaseOptions, openDatabase } from '../db/database.ts';
import { FairReads } from '../db/fair-reads.ts';
import type { Presence } from '../db/presence.ts';
import { TIMINGS } from '../db/timings.ts';
import { GuardedClient } from '../net/guarded-client.ts';
import type { PoolName } from '../observe/pools.ts';
import type { Certificates } from '../certificates/certificates.ts';
import type { Assignment } from './assignment.ts';
import type { Config } from './config.ts';

/** What every role is started with. */
export interface RoleContext {
  /** What the role opens is closed with it, the last one first. */
  stack: AsyncDisposableStack;
  assignment: Assignment;
  config: Config;
  logger: Logger;
  /** Knows of the other processes. */
  presence: Presence;
  /** What the ports of the process are secured with. */
  certificates: Certificates;
}

/** Opens a pool of connections that is closed with the role. */
export function openPool(
  { stack, assignment }: Pick<RoleContext, 'stack' | 'assignment'>,
  options: DatabaseOptions,
): Database {
  return stack.adopt(openDatabase(assignment.databaseUrl, options), (database) => database.destroy());
}

/** For what many projects read: it does not take the connections that accepting needs. */
export function openReads(
  context: Pick<RoleContext, 'stack' | 'assignment'>,
  name: PoolName,
  connections: number,
): FairReads {
  const statementTimeoutMs = TIMINGS.readTimeoutMs;
  const database = openPool(context, { name, poolSize: connections, statementTimeoutMs, readsOnly: true });
  return new FairReads(database, connections);
}

/** Makes an HTTP client that is closed with the role. In development it may dial this machine, too. */
export function openClient({ stack, config }: RoleContext, maxConnectionsPerOrigin: number): GuardedClient {
  const allowLoopback = config.environment === 'development';
  return stack.use(new GuardedClient({ allowLoopback, maxConnectionsPerOrigin, dns: config.dns }));
}
