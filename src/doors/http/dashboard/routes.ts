/** The API of the dashboard, below `/dashboard/api`. Requires a session of the dashboard and does not accept API keys. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Actor } from '../../../accounts/audit.ts';
import { NIL_UUID } from '../../../model/ids.ts';
import { clientAddress } from '../../../net/client-network.ts';
import type { RawBodyReader } from '../bodies/raw-body.ts';
import { addBrowserOperation, decodedId, JSON_MEDIA_TYPE } from '../browser/add-operation.ts';
import { keepBodies } from '../json.ts';
import type { boundUnreadResponses } from '../unread-responses.ts';
import { assertElevated, dashboardGuard } from './guard.ts';
import { dashboardDocument } from './openapi.ts';
import type { DashboardOperation } from './operation.ts';
import type { Pages } from '../browser/pages.ts';
import { DASHBOARD_OPERATIONS } from './operations.ts';
import { type Address, isSecure } from '../browser/origin.ts';
import type { DashboardServices } from './services.ts';

export interface DashboardOptions {
  /** The pages of the dashboard, which are served outside this API. */
  pages: Pages;
  services: DashboardServices;
  address: Address;
  logger: Logger;
  readUpTo(maxBytes: number): RawBodyReader;
  /** The `onSend` hook from `boundUnreadResponses`, for operations that change nothing. */
  boundUnreadResponse: ReturnType<typeof boundUnreadResponses>;
}

const DASHBOARD_PREFIX = '/dashboard/api';
const MAX_BODY_BYTES = 256 * 1024;

/** A Fastify plugin, so that these routes have their own limit for bodies. */
export async function addDashboard(app: FastifyInstance, options: DashboardOptions): Promise<void> {
  const { readUpTo, pages } = options;
  app.decorateRequest('signedIn', null);
  // Pages compare this header with their own version, so that they notice after an upgrade that newer pages exist.
  app.addHook('onSend', async (_request, reply, payload) => {
    reply.header('posthorn-pages', await pages.version());
    return payload;
  });
  keepBodies(app, readUpTo(MAX_BODY_BYTES));
  for (const operation of DASHBOARD_OPERATIONS) addOperation(app, options, operation);
  app.get(`${DASHBOARD_PREFIX}/openapi.json`, async (_request, reply) =>
    reply.type(JSON_MEDIA_TYPE).send(JSON.stringify(dashboardDocument())),
  );
}

function addOperation(
  app: FastifyInstance,
  { services, address, logger, boundUnreadResponse }: DashboardOptions,
  operation: DashboardOperation,
): void {
  const { resource, part } = operation;
  addBrowserOperation(app, operation, {
    prefix: DASHBOARD_PREFIX,
    guard: dashboardGuard({ services, address }, operation),
    boundUnreadResponse,
    actor: actorOf,
    missing: (part ?? resource)?.name ?? null,
    async run({ request, ...sent }) {
      const { id, part: partText } = request.params as { id?: string; part?: string };
      const { signedIn } = request;
      await assertElevated(services, operation, sent.body, signedIn);
      return operation.run({
        services,
        logger,
        request,
        ...sent,
        get principal() {
          if (signedIn === null) throw new TypeError('an operation without a sign-in has no principal');
          return signedIn.principal;
        },
        sessionToken: signedIn?.sessionToken ?? '',
        isSecure: isSecure(address, request),
        projectId: signedIn?.scope.projectId ?? NIL_UUID,
        id: decodedId(resource, id),
        partId: decodedId(part, partText),
      });
    },
  });
}

/** The user to whom the audit log attributes a change. */
function actorOf({ signedIn, ip }: FastifyRequest): Actor {
  const address = clientAddress(ip);
  if (signedIn === null) return { kind: 'user', id: null, name: 'someone with a link', address };
  const { userId, email } = signedIn.principal;
  return { kind: 'user', id: userId, name: email, address };
}
