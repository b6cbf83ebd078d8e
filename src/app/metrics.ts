import { answersThisMachine, type MetricsOptions } from '../edge/http/metrics.ts';
import { Exposition, type OtherFigures, STATEMENT_TIMEOUT_MS } from '../metrics/exposition.ts';
import { openPool, type RoleContext } from './role-context.ts';

/** @param otherFigures asks the other processes of this instance for theirs */
export function openMetrics(context: RoleContext, otherFigures: () => Promise<OtherFigures>): MetricsOptions {
  // A count of a long queue must not take a connection that mail needs.
  const pool = { name: 'metrics', poolSize: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS } as const;
  const { read } = new Exposition(openPool(context, pool), context.config, otherFigures);
  return { token: context.config.metricsToken, answersThisMachine: answersThisMachine(context.config), read };
}
