import type { Database } from '../db/database.ts';
import { readStateOfSender } from '../domains/service-mail-state.ts';
import { answersThisMachine, type MetricsOptions } from '../edge/http/metrics.ts';
import { Exposition, type OtherFigures, STATEMENT_TIMEOUT_MS } from '../metrics/exposition.ts';
import { openPool, type RoleContext } from './role-context.ts';

/** @param otherFigures asks the other processes of this instance for theirs */
export function openMetrics(context: RoleContext, otherFigures: () => Promise<OtherFigures>): MetricsOptions {
  // A count of a long queue must not take a connection that mail needs.
  const pool = { name: 'metrics', poolSize: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS } as const;
  const instance = {
    ...context.config,
    readServiceMail: (database: Database) => readStateOfSender(database, context.config),
  };
  const { read } = new Exposition(openPool(context, pool), instance, otherFigures);
  return { token: context.config.metricsToken, answersThisMachine: answersThisMachine(context.config), read };
}
