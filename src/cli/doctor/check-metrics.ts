import { type Finding, ok, warning } from './finding.ts';
import type { World } from './world.ts';

/** Whether somebody may read /metrics. */
export async function checkMetrics({ config }: World): Promise<Finding> {
  const { metricsToken, environment } = config;
  if (metricsToken !== null) return ok('/metrics answers whoever sends POSTHORN_METRICS_TOKEN.');
  if (environment === 'development') return ok('/metrics answers this machine.');
  return warning(
    'POSTHORN_METRICS_TOKEN is not set: nobody may read /metrics.',
    'Set it, and give it to Prometheus: otherwise you hear of trouble from your users.',
  );
}
