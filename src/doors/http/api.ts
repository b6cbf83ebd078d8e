/** The API as a Fastify instance that does not listen yet: routes, body parsing, problem responses and the OpenAPI document. */
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { CONTENT_KEYWORD, MAX_LISTED_KEYWORD, SECRET_KEYWORD } from '../../contract/keywords.ts';
import { type Actor, actingAs } from '../../accounts/audit.ts';
import type { ChallengeResponses } from '../../certificates/certificates.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { decodeId, type IdPrefix, NIL_UUID } from '../../model/ids.ts';
import { clientAddress } from '../../net/client-network.ts';
import { httpRequests } from '../../observe/instruments.ts';
import { BodyReader } from './bodies/body-reader.ts';
import { rawBodyReaders } from './bodies/raw-body.ts';
import { keepBodies, MAX_BODY_BYTES, normalizeContentType } from './json.ts';
import type { Instance } from './docs/instance.ts';
import { addPages, openPages } from './browser/pages.ts';
import { addDashboard, type DashboardOptions } from './dashboard/routes.ts';
import { visitors } from './dashboard/visitors.ts';
import { addMailClient, type MailClientOptions } from './mail/routes.ts';
import { separateHosts } from './mail/separate-hosts.ts';
import { localOnly } from './dev/local-only.ts';
import type { DevDoor } from './dev/routes.ts';
import { addDocs } from './docs/routes.ts';
import { CachedFile, once, REVALIDATED } from './page/cached-file.ts';
import { addFileLinks, type FileLinkRoutesOptions } from './links/routes.ts';
import { sendProblem } from './errors.ts';
import { guard, newLimits, showAddressAllowance } from './guard.ts';
import { httpsOnly } from './https-only.ts';
import { logRejected } from './log-rejected.ts';
import { boundUnreadResponses } from './unread-responses.ts';
import { MAX_HEADER_BYTES, onClientError, refuse } from './malformed.ts';
import { addResponseHeaders } from './response-headers.ts';
import { addChallenges } from './challenges.ts';
import { compressingJson } from './compress-json.ts';
import { serveMetrics, METRICS_MEDIA_TYPE, type MetricsOptions } from './metrics.ts';
import { openRequest } from './open-request.ts';
import { openApiDocument } from './openapi.ts';
import { Nothing, type Operation } from './operation.ts';
import { newRequestId } from './problem.ts';
import { compileQuery } from './query.ts';
import { serveHealth, HEALTH_PATHS } from './readiness.ts';
import { addRoutedFiles } from './routed/routes.ts';
import { addSecurityContact } from './security-contact.ts';
import type { HttpServices } from './services.ts';
import { addSesNotifications } from './ses/notifications.ts';
import { addMailSetup } from './setup/routes.ts';
import { addTracking } from './track/routes.ts';
import { OPERATIONS } from './v1/operations.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server begins to stop. Requests that wait for something then end. */
    stopping: AbortController;
  }
  interface FastifyContextConfig {
    /** The operation of the route. Undefined on routes that are not part of the API. */
    operation?: Operation;
  }
}

export interface ApiOptions {
  /** The rate limit for each API key, in requests per second; 0 disables all rate limits. */
  rateLimit: number;
  /** The current number of processes that serve the API and share its rate limits. */
  processes: () => number;
  /** Addresses or CIDR ranges whose X-Forwarded-For is trusted. */
  trustedProxies: readonly string[];
  /** The server URL in the OpenAPI document, without a trailing slash. */
  baseUrl: string | null;
  /** POSTHORN_SECURITY_CONTACT. Absent or null if there is no `security.txt`. */
  securityContact?: string | null;
  /** Returns the facts about this instance that documentation pages show. Called at the first request for a page. */
  instance: () => Instance;
  logger: Logger;
  /** The responses to ACME challenges. Absent or null if no certificate authority is used. */
  challengeResponses?: Pick<ChallengeResponses, 'http'> | null;
  /** Absent if `/metrics` is not served. */
  metrics?: MetricsOptions;
  /** Absent if the dashboard is not served. */
  dashboard?: Pick<DashboardOptions, 'services' | 'address'>;
  /** Absent if the web client is not served. */
  mailClient?: Pick<MailClientOptions, 'services' | 'address' | 'url'>;
  /** Present only in `posthorn dev`. */
  dev?: DevDoor;
  /** Absent if file links cannot be opened. */
  fileLinks?: Pick<FileLinkRoutesOptions, 'door' | 'proofs' | 'read' | 'hasScanner' | 'address'>;
}

/** Time limits for the headers of a request and for the whole request. Attack: Slowloris sends a request byte by byte. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;
const TIMEOUT_CHECK_INTERVAL_MS = 5_000;
/** Longer than the idle timeout of common load balancers, so that the load balancer closes an idle connection before this server does. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** Time after which a socket without traffic is closed, because its client may have stopped reading. */
const SOCKET_TIMEOUT_MS = 120_000;

const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';
const PREFIXES = ['/v1', '/api/v1'];
/** Operations that send email. The audit log does not record sent email, so these operations skip the cost of auditing. */
const SENDS: ReadonlySet<string> = new Set(['sendEmail', 'sendBatch']);

/** @throws if a trusted proxy is not an address or a CIDR range */
export async function buildApi(services: HttpServices, options: ApiOptions): Promise<FastifyInstance> {
  const { logger } = options;
  const limits = newLimits(options.rateLimit, options.processes);
  const app = fastify({
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    genReqId: newRequestId,
    connectionTimeout: SOCKET_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Node.js must not reject a missing Host header, because `openRequest` rejects it with a problem document.
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
    },
    // Serve requests on open connections during shutdown.
    return503OnClosing: false,
    routerOptions: {
      // Routes accept overlong ids and treat them as unknown. The limit on the request line bounds the length of ids.
      maxParamLength: MAX_HEADER_BYTES,
      // Leave the query string as text. Each operation parses the query string with its own schema.
      querystringParser: (text) => text as unknown as Record<string, unknown>,
    },
    clientErrorHandler: onClientError,
    frameworkErrors: (error, request, reply) => {
      showAddressAllowance(request, reply, limits);
      sendProblem(reply, error, logger);
    },
  });
  // Pass on a request with an unknown `Expect` header, so that `openRequest` can reject it with a problem document.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket) => {
    // Node has removed its own error listener. Without any error listener, a client that resets the connection would crash the process.
    socket.on('error', () => socket.destroy());
    refuse(socket, 'This server is not a proxy. Send the request to the server in its URL.');
  });

  app.decorate('stopping', new AbortController());
  app.decorateRequest('caller', null);
  app.decorateRequest('problem', null);
  app.decorateRequest('sentBody', undefined);
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, error, logger));
  const { dev, dashboard } = options;
  if (dev !== undefined) app.addHook('onRequest', localOnly);
  app.addHook('onRequest', openRequest(limits));
  const ownUrl = options.mailClient?.url ?? null;
  app.addHook('onRequest', httpsOnly({ baseUrl: options.baseUrl, mailUrl: ownUrl, logger }));
  app.addHook('onSend', addResponseHeaders);
  if (ownUrl !== null) app.addHook('onRequest', separateHosts(ownUrl));
  app.addHook('onResponse', (request, reply, done) => {
    // Requests outside the API's operations (pages, health, unknown paths) are recorded as operation `other`.
    const operation = request.routeOptions.config.operation?.operationId ?? 'other';
    const status = `${Math.trunc(reply.statusCode / 100)}xx`;
    httpRequests.observe({ operation, status }, reply.elapsedTime / 1_000);
    done();
  });
  app.addHook('onResponse', logRejected(services));
  const readUpTo = rawBodyReaders(app);
  keepBodies(app, readUpTo(MAX_BODY_BYTES));
  const bodies = new BodyReader(OPERATIONS);
  const onSend = boundUnreadResponses();
  app.addHook('onClose', () => bodies[Symbol.asyncDispose]());
  for (const operation of OPERATIONS)
    addOperation(
      app,
      operation,
      { onRequest: guard(services, limits, operation.scope), onSend },
      { services, logger },
      bodies,
    );
  const document = () => openApiDocument(options.baseUrl, options.instance().hostedDomain);
  addServiceRoutes(app, services, document, options.metrics);
  addDocs(app, document, options.instance, dashboard === undefined ? null : visitors(dashboard));
  if (dashboard !== undefined) {
    const pages = openPages('dashboard');
    addPages(app, 'dashboard', pages);
    await app.register(addDashboard, { ...dashboard, logger, readUpTo, pages, boundUnreadResponse: onSend });
    const { signIn } = dashboard.services;
    if (dev !== undefined) {
      const { addDev } = await import('./dev/routes.ts');
      await app.register(addDev, { ...dev, signIn, visitors: visitors(dashboard), readUpTo });
    }
  }
  const { mailClient } = options;
  if (mailClient !== undefined) {
    const pages = openPages('mail');
    addPages(app, 'mail', pages);
    await app.register(addMailClient, {
      ...mailClient,
      logger,
      readUpTo,
      pages,
      boundUnreadResponse: onSend,
    });
  }
  await app.register(addTracking, { services, logger, readUpTo });
  await app.register(addRoutedFiles, { services, limits, logger });
  const { fileLinks } = options;
  if (fileLinks !== undefined) {
    const { processes } = options;
    const isLimited = options.rateLimit !== 0;
    await app.register(addFileLinks, { ...fileLinks, isLimited, processes, logger, readUpTo });
  }
  await app.register(addMailSetup, {
    access: services.mailAccess,
    servesDomain: (domain) => services.servesDomain(domain),
    baseUrl: () => options.instance().address,
    readUpTo,
  });
  const { receiveSesNotification: receive } = services;
  addSecurityContact(app, { contact: options.securityContact ?? null, baseUrl: options.baseUrl });
  if (options.challengeResponses) addChallenges(app, options.challengeResponses);
  if (receive !== null) await app.register(addSesNotifications, { receive, readUpTo });
  return app;
}

function addOperation(
  app: FastifyInstance,
  operation: Operation,
  hooks: { onRequest: ReturnType<typeof guard>; onSend: ReturnType<typeof boundUnreadResponses> },
  given: { services: HttpServices; logger: Logger },
  bodies: BodyReader,
): void {
  const readBody = bodies.of(operation);
  const parseQuery = compileQuery(operation.query ?? Nothing);
  const { resource, part, success } = operation;
  const isAudited = operation.method !== 'GET' && !SENDS.has(operation.operationId);
  const run: Operation['run'] = isAudited
    ? (call) => actingAs(actorOf(call), () => operation.run(call))
    : (call) => operation.run(call);

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { caller } = request;
    if (caller === null) throw new TypeError('the guard did not run');
    const read = readBody(caller.projectId, request.body as Buffer | undefined);
    const { value: body, sent, errors: bodyErrors, examined } = read instanceof Promise ? await read : read;
    request.sentBody = sent;
    const { values: query, errors: queryErrors } = parseQuery(request.query as string);
    if (bodyErrors !== null || queryErrors !== null) throw validationError({ ...queryErrors, ...bodyErrors });
    reply.code(success.status);
    if (success.body !== undefined) reply.header('content-type', JSON_MEDIA_TYPE);
    const { id, part: partText, address = '' } = request.params as Record<string, string | undefined>;
    const ids = { id: decodedId(resource?.prefix, id), partId: decodedId(part?.prefix, partText) };
    const call = { ...given, ...ids, caller, address, body, examined, query, request, reply };
    const result = await run(call);
    if (resource !== null && (result === null || result === false))
      throw new AppError(
        'not-found',
        `There is no such ${(part ?? resource).name} in this project. Check the id.`,
      );
    return success.body === undefined ? undefined : result;
  }

  for (const prefix of PREFIXES) {
    app.route({
      method: operation.method,
      url: prefix + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operation },
      onRequest: [hooks.onRequest, normalizeContentType],
      onSend: [...compressingJson(operation), ...(operation.method === 'GET' ? [hooks.onSend] : [])],
      handler,
    });
  }
}

function actorOf({ caller, request }: Parameters<Operation['run']>[0]): Actor {
  return { kind: caller.kind, id: caller.keyId, name: caller.name, address: clientAddress(request.ip) };
}

/** A malformed id becomes the nil uuid, which no resource has. As a result, errors in the body are reported before the unknown id. */
function decodedId(prefix: IdPrefix | null | undefined, id: string | undefined): string {
  return (prefix == null || id === undefined ? null : decodeId(prefix, id)) ?? NIL_UUID;
}

const OWN_KEYWORDS: ReadonlySet<unknown> = new Set([MAX_LISTED_KEYWORD, SECRET_KEYWORD, CONTENT_KEYWORD]);

/**
 * Omits the keywords that OpenAPI does not define: the marks of secrets and content, and a limit that only keeps the validation of long
 * lists cheap. The limits that apply to clients are in the descriptions of the fields.
 */
function withoutOwnKeywords(key: unknown, value: unknown): unknown {
  return OWN_KEYWORDS.has(key) ? undefined : value;
}

/** Adds the routes that are not operations: the OpenAPI document, health and metrics. */
function addServiceRoutes(
  app: FastifyInstance,
  services: HttpServices,
  document: () => object,
  metrics: MetricsOptions | undefined,
): void {
  const documents = {
    'openapi.yaml': once(async () => {
      // Import on the first request, because this module takes 8 MB, which a process without such requests saves.
      const { stringify } = await import('yaml');
      const text = stringify(document(), withoutOwnKeywords, { aliasDuplicateObjects: false });
      return new CachedFile('application/yaml', Buffer.from(text));
    }),
    'openapi.json': once(
      async () =>
        new CachedFile(JSON_MEDIA_TYPE, Buffer.from(JSON.stringify(document(), withoutOwnKeywords))),
    ),
  };
  for (const [name, made] of Object.entries(documents))
    for (const prefix of ['', '/api'])
      app.get(`${prefix}/${name}`, async (request, reply) =>
        (await made()).send(request, reply.headers(REVALIDATED)),
      );
  for (const path of HEALTH_PATHS) app.get(path, () => serveHealth(path, () => services.whyNotReady()));
  if (metrics === undefined) return;
  app.get('/metrics', async (request, reply) => {
    const text = await serveMetrics(request.raw, metrics);
    return reply.type(METRICS_MEDIA_TYPE).send(text);
  });
}
