import type { Database } from '../db/database.ts';
import { checkSecret } from '../db/seal.ts';
import type { Readiness } from '../edge/http/readiness.ts';
import { startHttp } from '../edge/http/server.ts';
import type { OtherFigures } from '../metrics/exposition.ts';
import { createHttpServices } from './http-services.ts';
import { EmailLists } from '../sending/read/email-lists.ts';
import { SingleEmails } from '../sending/read/single-emails.ts';
import { TIMINGS } from '../sending/read/timings.ts';
import { openMetrics } from './metrics.ts';
import { ownUrl } from './own-address.ts';
import { openPool, type RoleContext } from './role-context.ts';
import { openSesFeedback } from './ses-feedback.ts';

/** Each has it for a millisecond. */
const EMAIL_CONNECTIONS = 2;

/** @returns the port of the API */
export async function startHttpRole(
  context: RoleContext,
  database: Database,
  readiness: Readiness,
  otherFigures: () => Promise<OtherFigures>,
): Promise<number> {
  const { stack, assignment, config, logger, presence } = context;
  const metrics = openMetrics(context, otherFigures);
  // Pages of a large log must not take the connections that accepting needs, nor those that show one email.
  const lists = new EmailLists(
    openPool(context, {
      name: 'lists',
      poolSize: config.readConnections,
      statementTimeoutMs: TIMINGS.listTimeoutMs,
      readsOnly: true,
    }),
    config.readConnections,
  );
  const emails = new SingleEmails(
    openPool(context, { name: 'emails', poolSize: EMAIL_CONNECTIONS, readsOnly: true }),
    EMAIL_CONNECTIONS,
  );
  const sealer = await checkSecret(database, assignment.secret);
  let port = assignment.ports.http;
  const baseUrl = () => ownUrl(config, port);
  const receiveSesNotification = await openSesFeedback(context, sealer);
  const services = { database, lists, emails, sealer, readiness, baseUrl, config, receiveSesNotification };
  const http = await startHttp(createHttpServices(services), {
    place: { addresses: config.listen, port },
    rateLimit: config.rateLimit,
    processes: () => presence.shareOf('http').count,
    trustedProxies: config.trustedProxies,
    baseUrl: config.baseUrl,
    instance: () => ({ address: baseUrl(), hostedDomain: config.hostedDomain }),
    logger,
    metrics,
  });
  ({ port } = stack.use(http));
  return port;
}
