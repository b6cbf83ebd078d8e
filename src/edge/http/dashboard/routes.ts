/** The API of the dashboard, below `/dashboard/api`. Only sessions open it: an API key is nothing here. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type Actor, actingAs } from '../../../accounts/audit.ts';
import { AppError, validationError } from '../../../model/app-error.ts';
import { decodeId, NIL_UUID } from '../../../model/ids.ts';
import { clientAddress } from '../../../net/client-network.ts';
import type { RawBodyReader } from '../bodies/raw-body.ts';
import { keepBodies, normalizeContentType, parseJson } from '../json.ts';
import type { holdLargeAnswers } from '../large-answers.ts';
import { Nothing } from '../operation.ts';
import { compileQuery } from '../query.ts';
import { compileCheck, type FieldErrors } from '../validation.ts';
import { dashboardGuard } from './guard.ts';
import { dashboardDocument } from './openapi.ts';
import type { DashboardOperation } from './operation.ts';
import type { Pages } from './pages.ts';
import { DASHBOARD_OPERATIONS } from './operations.ts';
import { type Address, isSecure } from './origin.ts';
import type { DashboardServices } from './services.ts';

export interface DashboardOptions {
  /** What stands around the operations. */
  pages: Pages;
  services: DashboardServices;
  address: Address;
  logger: Logger;
  readUpTo(maxBytes: number): RawBodyReader;
  /** A hook of operations that only read. */
  holdAnswer: ReturnType<typeof holdLargeAnswers>;
}

export const DASHBOARD_PREFIX = '/dashboard/api';
const MAX_BODY_BYTES = 256 * 1024;
const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/** A Fastify plugin, so that it has its own limit for bodies. */
export async function addDashboard(app: FastifyInstance, options: DashboardOptions): Promise<void> {
  const { readUpTo, pages } = options;
  app.decorateRequest('signedIn', null);
  // Pages that were loaded before an upgrade learn by it that there are others.
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
  { services, address, logger, holdAnswer }: DashboardOptions,
  operation: DashboardOperation,
): void {
  const { success, resource, part } = operation;
  const readBody = reader(operation);
  const parseQuery = lazily(() => compileQuery(operation.query ?? Nothing));

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { value: body, errors: bodyErrors } = readBody(request.body as Buffer | undefined);
    const { values: query, errors: queryErrors } = parseQuery()(request.query as string);
    if (bodyErrors !== null || queryErrors !== null) throw validationError({ ...queryErrors, ...bodyErrors });
    const { id, part: partText } = request.params as { id?: string; part?: string };
    const { signedIn } = request;
    const call = {
      ...{ services, logger, body, query, request, reply },
      get principal() {
        if (signedIn === null) throw new TypeError('an operation for anyone has no principal');
        return signedIn.principal;
      },
      sessionToken: signedIn?.sessionToken ?? '',
      isSecure: isSecure(address, request),
      projectId: signedIn?.place.projectId ?? NIL_UUID,
      id: decoded(resource, id),
      partId: decoded(part, partText),
    };
    reply.code(success.status);
    if (success.body !== undefined) reply.header('content-type', JSON_MEDIA_TYPE);
    const result = await actingAs(actorOf(request), () => operation.run(call));
    if (result === reply) return reply;
    if ((resource ?? part) !== undefined && (result === null || result === false))
      throw new AppError('not-found', `There is no such ${(part ?? resource)?.name}.`);
    return success.body === undefined ? undefined : result;
  }

  app.route({
    method: operation.method,
    url: DASHBOARD_PREFIX + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    onRequest: [dashboardGuard({ services, address }, operation), normalizeContentType],
    onSend: operation.method === 'GET' ? [holdAnswer] : [],
    handler,
  });
}

function decoded(resource: DashboardOperation['resource'], id: string | undefined): string {
  return (resource === undefined || id === undefined ? null : decodeId(resource.prefix, id)) ?? NIL_UUID;
}

/** Whose change it is, if it makes one. */
function actorOf({ signedIn, ip }: FastifyRequest): Actor {
  const address = clientAddress(ip);
  if (signedIn === null) return { kind: 'user', id: null, name: 'somebody with a link', address };
  const { userId, email } = signedIn.principal;
  return { kind: 'user', id: userId, name: email, address };
}

/** Schemas are compiled when they are needed first: a process that shows no dashboard has no use for them. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** @throws AppError malformed-json, bad-request, validation-failed for text that no field may hold */
function reader({ body = Nothing }: DashboardOperation) {
  const check = lazily(() => compileCheck(body));
  return (bytes: Buffer | undefined): { value: unknown; errors: FieldErrors | null } => {
    const value = bytes === undefined ? {} : parseJson(bytes);
    return { value, errors: check()(value) };
  };
}
