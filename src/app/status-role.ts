import { startStatusListener } from '../doors/http/status-listener.ts';
import type { OtherFigures } from '../metrics/exposition.ts';
import { openMetrics } from './metrics.ts';
import type { RoleContext } from './role-context.ts';

/** @returns the port of `/readyz` and `/metrics` */
export async function startStatusRole(
  context: RoleContext,
  otherFigures: () => Promise<OtherFigures>,
  whyNotReady: () => Promise<string | null>,
): Promise<number> {
  const listenAddress = { addresses: context.config.listen, port: context.assignment.ports.http };
  const metrics = openMetrics(context.core, otherFigures);
  return context.stack.use(await startStatusListener({ listenAddress, whyNotReady, metrics })).port;
}
