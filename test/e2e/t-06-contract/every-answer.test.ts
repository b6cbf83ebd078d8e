/** Checks the OpenAPI document that the service serves: each operation with each scope, and each documented response. */
import assert from 'node:assert/strict';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { parse } from 'yaml';
import type { DirectoryList } from '../../../src/contract/directory.ts';
import type { SuppressionList } from '../../../src/contract/suppressions.ts';
import type { ApiDocument, Schema } from '../../../src/doors/http/api-document.ts';
import { DocumentReader, type FoundOperation } from '../../../src/doors/http/docs/reference/document.ts';
import { AppError } from '../../../src/model/app-error.ts';
import { decodeId, encodeId, type IdPrefix, newUuid } from '../../../src/model/ids.ts';
import { SCOPES } from '../../../src/model/scopes.ts';
import { HOSTED_DOMAIN, type RealApi, startRealApi } from '../../support/api.ts';
import { type ApiClient, apiClient, type RequestOptions, servedContract } from '../../support/api-client.ts';
import { insertMessage } from '../../support/routes.ts';

interface Documented {
  method: string;
  path: string;
  operationId: string;
  scope: string;
  statuses: number[];
}

let api: RealApi;
/** An API that allows one request per key, and rejects all other requests. */
let limited: RealApi;
/** Two APIs in which all service calls except authentication fail: `broken` with a bug, `away` with an unavailable database. */
let broken: RealApi;
let away: RealApi;

const operations: Documented[] = [];
const seen = new Map<string, Set<number>>();

before(async () => {
  const failing = (error: () => Error) => {
    const fail = (): never => {
      throw error();
    };
    const broken = (services: object): object =>
      new Proxy(services, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (name === 'authenticate') return member;
          if (name === 'parts') return broken(member as object);
          return typeof member === 'function' ? fail : new Proxy({}, { get: () => fail });
        },
      });
    return broken;
  };
  [api, limited, broken, away] = await Promise.all([
    startRealApi(),
    startRealApi({}, { rateLimit: 1 }),
    startRealApi({}, { logger: pino({ level: 'silent' }) }, failing(() => new TypeError('a bug')) as never),
    startRealApi(
      {},
      {},
      failing(() => new AppError('unavailable', 'The database is away.', { retryAfterSeconds: 1 })) as never,
    ),
  ]);
  const { document } = await servedContract(api.baseUrl);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { operationId, description, responses } = operation as unknown as {
        operationId: string;
        description: string;
        responses: object;
      };
      operations.push({
        method: method.toUpperCase(),
        path,
        operationId,
        scope: /Scope: `?([a-z:]+)/.exec(description)?.[1] ?? '',
        statuses: Object.keys(responses).map(Number),
      });
    }
  }
});
after(async () => {
  await Promise.all([api, limited, broken, away].map((one) => one[Symbol.asyncDispose]()));
});

/** The operations, written by hand as an independent check of the document. */
const TABLE: readonly [method: string, path: string, scope: string, success: number][] = [
  ['POST', '/v1/emails', 'emails:send', 202],
  ['POST', '/v1/emails/batch', 'emails:send', 202],
  ['GET', '/v1/emails', 'emails:read', 200],
  ['GET', '/v1/emails/{id}', 'emails:read', 200],
  ['POST', '/v1/emails/{id}/cancel', 'emails:send', 200],
  ['GET', '/v1/domains', 'domains:read', 200],
  ['POST', '/v1/domains', 'domains:write', 201],
  ['GET', '/v1/domains/{id}', 'domains:read', 200],
  ['DELETE', '/v1/domains/{id}', 'domains:write', 204],
  ['POST', '/v1/domains/{id}/verify', 'domains:write', 200],
  ['GET', '/v1/mailboxes', 'mailboxes:read', 200],
  ['POST', '/v1/mailboxes', 'mailboxes:write', 201],
  ['GET', '/v1/mailboxes/{id}', 'mailboxes:read', 200],
  ['PATCH', '/v1/mailboxes/{id}', 'mailboxes:write', 200],
  ['DELETE', '/v1/mailboxes/{id}', 'mailboxes:write', 204],
  ['GET', '/v1/aliases', 'mailboxes:read', 200],
  ['POST', '/v1/aliases', 'mailboxes:write', 201],
  ['GET', '/v1/aliases/{id}', 'mailboxes:read', 200],
  ['PATCH', '/v1/aliases/{id}', 'mailboxes:write', 200],
  ['DELETE', '/v1/aliases/{id}', 'mailboxes:write', 204],
  ['GET', '/v1/webhooks', 'webhooks:read', 200],
  ['POST', '/v1/webhooks', 'webhooks:write', 201],
  ['GET', '/v1/webhooks/{id}', 'webhooks:read', 200],
  ['PATCH', '/v1/webhooks/{id}', 'webhooks:write', 200],
  ['DELETE', '/v1/webhooks/{id}', 'webhooks:write', 204],
  ['POST', '/v1/webhooks/{id}/test', 'webhooks:write', 200],
  ['GET', '/v1/routes', 'routes:read', 200],
  ['POST', '/v1/routes', 'routes:write', 201],
  ['GET', '/v1/routes/{id}', 'routes:read', 200],
  ['PATCH', '/v1/routes/{id}', 'routes:write', 200],
  ['DELETE', '/v1/routes/{id}', 'routes:write', 204],
  ['GET', '/v1/routes/{id}/messages', 'routes:read', 200],
  ['GET', '/v1/routes/{id}/messages/{part}', 'routes:read', 200],
  ['POST', '/v1/routes/{id}/messages/{part}/replay', 'routes:write', 200],
  ['GET', '/v1/templates', 'templates:read', 200],
  ['GET', '/v1/templates/{id}', 'templates:read', 200],
  ['GET', '/v1/directory', 'directory:read', 200],
  ['POST', '/v1/directory', 'directory:write', 201],
  ['DELETE', '/v1/directory/{id}', 'directory:write', 204],
  ['GET', '/v1/suppressions', 'suppressions:read', 200],
  ['POST', '/v1/suppressions', 'suppressions:write', 200],
  ['GET', '/v1/suppressions/{address}', 'suppressions:read', 200],
  ['DELETE', '/v1/suppressions/{address}', 'suppressions:write', 204],
];

let counter = 0;
const unique = () => `x${counter++}`;

/** Valid request bodies, by method and path. */
const BODIES: Readonly<Record<string, () => unknown>> = {
  'POST /v1/emails': () => ({ from: `a@${HOSTED_DOMAIN}`, to: ['b@example.com'], text: 'x' }),
  'POST /v1/emails/batch': () => ({
    emails: [{ from: `a@${HOSTED_DOMAIN}`, to: ['b@example.com'], text: 'x' }],
  }),
  'POST /v1/domains': () => ({ domain: `${unique()}.example.com` }),
  'POST /v1/mailboxes': async () => ({ domain_id: await hostedDomainId(), local_part: unique() }),
  'PATCH /v1/mailboxes/{id}': () => ({ display_name: 'Ann' }),
  'POST /v1/aliases': async () => ({
    domain_id: await hostedDomainId(),
    local_part: unique(),
    mailbox_ids: [await newMailboxId()],
  }),
  'PATCH /v1/aliases/{id}': async () => ({ mailbox_ids: [await newMailboxId()] }),
  'POST /v1/webhooks': () => ({ url: 'http://127.0.0.1:9/', events: ['email.sent'] }),
  'PATCH /v1/webhooks/{id}': () => ({ enabled: false }),
  'POST /v1/routes': async () => ({
    domain_id: await hostedDomainId(),
    local_part: unique(),
    url: 'http://127.0.0.1:9/',
  }),
  'PATCH /v1/routes/{id}': () => ({ format: 'raw' }),
  'POST /v1/directory': () => ({ name: 'Ann', email: `${unique()}@example.com` }),
  'POST /v1/suppressions': () => ({ addresses: [`${unique()}@example.com`] }),
};

const PREFIXES: Readonly<Record<string, IdPrefix>> = {
  emails: 'em',
  domains: 'dom',
  mailboxes: 'mbx',
  aliases: 'als',
  webhooks: 'wh',
  routes: 'rt',
  templates: 'tpl',
  directory: 'per',
};

async function hostedDomainId(): Promise<string> {
  const { body } = await api.project.client.get<{ data: { id: string; is_hosted: boolean }[] }>(
    '/v1/domains',
  );
  return body.data.find((domain) => domain.is_hosted)?.id ?? '';
}

async function newMailboxId(): Promise<string> {
  const body = { domain_id: await hostedDomainId(), local_part: unique() };
  const made = await api.project.client.post<{ id: string }>('/v1/mailboxes', body);
  return made.body.id;
}

/** The path of an operation with the id of an existing resource, which is created for this call. */
async function pathOf({ path }: Documented): Promise<string> {
  const [, , resource = ''] = path.split('/');
  if (!path.includes('{')) return path;
  if (resource === 'templates') return path.replace('{id}', await newTemplate());
  const body = await BODIES[`POST /v1/${resource}`]?.();
  if (resource === 'suppressions') {
    const { data } = (await api.project.client.post<SuppressionList>('/v1/suppressions', body)).body;
    return path.replace('{address}', encodeURIComponent(data[0]?.address ?? ''));
  }
  const { id } = (await api.project.client.post(`/v1/${resource}`, body)).body;
  const part = path.includes('{part}') ? await newMessage(String(id)) : '';
  return path.replace('{id}', String(id)).replace('{part}', part);
}

/** A message of the route. @returns `rm_…` */
async function newMessage(routeId: string): Promise<string> {
  const { database, blobs } = api.core;
  const route = { projectId: api.project.id, routeId: decodeId('rt', routeId) ?? '' };
  return encodeId('rm', await insertMessage({ database, blobs }, route, 'Subject: Hello\r\n\r\nx'));
}

async function newTemplate(): Promise<string> {
  const id = newUuid();
  await api.db.database
    .insertInto('templates')
    .values({
      projectId: api.project.id,
      id,
      name: unique(),
      subject: 'Hello {{name}}',
      html: '',
      text: '',
      variables: ['name'],
      createdAt: new Date(),
      updatedAt: new Date(),
    })
    .execute();
  return encodeId('tpl', id);
}

function unknownPath({ path }: Documented): string {
  const [, , resource = ''] = path.split('/');
  return path
    .replace('{id}', encodeId(PREFIXES[resource] ?? 'em', newUuid()))
    .replace('{part}', encodeId('rm', newUuid()))
    .replace('{address}', 'unknown%40example.com');
}

async function call(
  client: ApiClient,
  operation: Documented,
  path: string,
  rawBody?: string,
): Promise<number> {
  const { method } = operation;
  const body = rawBody === undefined ? await BODIES[`${method} ${operation.path}`]?.() : undefined;
  const { status } = await client.request(
    method,
    path,
    rawBody === undefined ? { body } : { rawBody, headers: { 'content-type': 'application/json' } },
  );
  note(operation, status);
  return status;
}

function note({ operationId }: Documented, status: number): void {
  const statuses = seen.get(operationId) ?? new Set();
  seen.set(operationId, statuses.add(status));
}

test('the document has exactly the operations of the table', () => {
  assert.deepEqual(
    operations
      .map(({ method, path, scope, statuses }) => [
        method,
        path,
        scope,
        statuses.find((status) => status < 300),
      ])
      .toSorted(),
    [...TABLE].toSorted(),
  );
});

test('each operation accepts its own scope and full access, and no other scope', async () => {
  const withScope = new Map(
    await Promise.all(SCOPES.map(async (scope) => [scope, await api.project.clientWith([scope])] as const)),
  );
  for (const operation of operations) {
    for (const [scope, client] of withScope) {
      const status = await call(client, operation, unknownPath(operation));
      assert.equal(
        status === 403,
        scope !== operation.scope,
        `${operation.operationId} with ${scope}: ${status}`,
      );
      assert.notEqual(status, 401);
    }
    assert.notEqual(await call(api.project.client, operation, unknownPath(operation)), 403);
  }
});

describe('the documented responses of each operation', () => {
  const ways: Readonly<Record<number, (operation: Documented) => Promise<number>>> = {
    200: succeed,
    201: succeed,
    202: succeed,
    204: succeed,
    400: badRequest,
    401: async (operation) => {
      const response = await fetch(api.baseUrl + unknownPath(operation), { method: operation.method });
      return response.status;
    },
    403: async (operation) =>
      call(
        await api.project.clientWith([operation.scope === 'emails:read' ? 'emails:send' : 'emails:read']),
        operation,
        unknownPath(operation),
      ),
    404: (operation) => call(api.project.client, operation, unknownPath(operation)),
    413: (operation) =>
      call(api.project.client, operation, unknownPath(operation), `"${'x'.repeat(7_000_000)}"`),
    422: (operation) =>
      operation.method === 'GET'
        ? call(api.project.client, operation, `${unknownPath(operation)}?surprise=1`)
        : call(api.project.client, operation, unknownPath(operation), '{"surprise":1}'),
    429: async (operation) => {
      const client = await limited.project.clientWith(null);
      const calls = Array.from({ length: 20 }, () => call(client, operation, unknownPath(operation)));
      return (await Promise.all(calls)).includes(429) ? 429 : 0;
    },
    500: (operation) => call(broken.project.client, operation, unknownPath(operation)),
    503: (operation) => call(away.project.client, operation, unknownPath(operation)),
  };

  async function succeed(operation: Documented): Promise<number> {
    return call(api.project.client, operation, await pathOf(operation));
  }

  async function badRequest(operation: Documented): Promise<number> {
    if (operation.method !== 'GET') return call(api.project.client, operation, unknownPath(operation), '{');
    // Sends a request without a Host header (RFC 9112, section 3.2).
    return new Promise((resolve, reject) => {
      httpRequest(api.baseUrl + unknownPath(operation), { setHost: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .once('error', reject)
        .end();
    });
  }

  test('each documented response is returned for a request that causes the response', async () => {
    for (const operation of operations) {
      for (const status of operation.statuses) {
        const way = ways[status];
        assert.ok(way !== undefined, `no request is known that causes ${status} (${operation.operationId})`);
        assert.equal(await way(operation), status, `${operation.operationId}: ${status}`);
        note(operation, status);
      }
    }
    for (const { operationId, statuses } of operations) {
      assert.deepEqual([...(seen.get(operationId) ?? [])].toSorted(), statuses.toSorted(), operationId);
    }
  });
});

describe('the examples of errors in the document', () => {
  let reader: DocumentReader;
  before(async () => {
    reader = new DocumentReader((await servedContract(api.baseUrl)).document as unknown as ApiDocument);
  });

  function found(operationId: string): FoundOperation {
    const operation = reader.operations.find((each) => each.operationId === operationId);
    assert.ok(operation);
    return operation;
  }

  /** Everything but the request id must be equal. */
  function compare(operationId: string, code: string, problem: object): void {
    const [example] = reader
      .responses(found(operationId))
      .flatMap(([, { content }]) => content?.['application/problem+json']?.examples?.[code] ?? []);
    const expected = { ...(example?.value as object), instance: '' };
    assert.deepEqual({ ...problem, instance: '' }, expected, `${operationId}: ${code}`);
  }

  const withBody = async ({ method, path }: Documented) => ({ body: await BODIES[`${method} ${path}`]?.() });

  test('are what each operation returns without a key, without the scope, for an unknown id, and for an invalid field', async () => {
    const stranger = apiClient(api.baseUrl);
    const forged = apiClient(api.baseUrl, 'svc_live_unknown');
    for (const operation of operations) {
      const { method, scope, statuses } = operation;
      const path = unknownPath(operation);
      const other = await api.project.clientWith([scope === 'emails:read' ? 'emails:send' : 'emails:read']);
      const failures: [code: string, client: ApiClient, path: string, options: RequestOptions][] = [
        ['missing-api-key', stranger, path, {}],
        ['invalid-api-key', forged, path, {}],
        ['missing-scope', other, path, {}],
        ['validation-failed', api.project.client, ...(await invalidRequest(operation))],
        ['internal', broken.project.client, path, await withBody(operation)],
      ];
      if (statuses.includes(404))
        failures.push(['not-found', api.project.client, path, await withBody(operation)]);
      for (const [code, client, at, options] of failures)
        compare(operation.operationId, code, (await client.request<object>(method, at, options)).body);
    }
  });

  /** A request with the error that the example shows: a required field is missing, or a query parameter is unknown. */
  async function invalidRequest(operation: Documented): Promise<[path: string, options: RequestOptions]> {
    const { path, operationId } = operation;
    const { body } = await withBody(operation);
    if (operationId === 'sendEmail') return [path, { body: { ...(body as object), to: ['customer'] } }];
    const schema = found(operationId).requestBody?.content['application/json']?.schema ?? {};
    const [field] = reader.deref<Schema>(schema).required ?? [];
    return field === undefined
      ? [`${unknownPath(operation)}?verbose=1`, { body }]
      : [unknownPath(operation), { body: { ...(body as object), [field]: undefined } }];
  }

  test('are what the service returns for a malformed body, a sender that is not verified, and other conflicts', async () => {
    const { client } = api.project;
    const email = { from: `orders@${HOSTED_DOMAIN}`, to: ['customer@example.org'], text: 'x' };
    const headers = { 'idempotency-key': unique() };
    const sent = await client.post('/v1/emails', email, { headers });
    await api.db.database.deleteFrom('queue').execute();
    const own = (await client.post('/v1/domains', { domain: 'acme.example' })).body;
    const mailbox = { domain_id: own['id'], local_part: 'ann' };
    await client.post('/v1/mailboxes', mailbox);
    const { people } = (await client.get<DirectoryList>('/v1/directory')).body;
    const member = people.find((person) => person.email === 'ann@acme.example');
    const person = { name: 'Ann', email: 'ann@example.com' };
    await client.post('/v1/directory', person);

    const bytes = (rawBody: Buffer<ArrayBuffer>, type: string) =>
      client.request<object>('POST', '/v1/emails', { rawBody, headers: { 'content-type': type } });
    const cases: [operationId: string, code: string, response: Promise<{ body: object }>][] = [
      ['sendEmail', 'bad-request', requestTwiceAuthorized()],
      ['sendEmail', 'malformed-json', bytes(Buffer.from([0x22, 0xff, 0x22]), 'application/json')],
      ['sendEmail', 'unsupported-media-type', bytes(Buffer.from('x'), 'text/plain')],
      ['sendEmail', 'payload-too-large', bytes(Buffer.alloc(7_000_000, 'x'), 'application/json')],
      [
        'sendEmail',
        'domain-not-verified',
        client.post('/v1/emails', { ...email, from: 'orders@acme.example' }),
      ],
      [
        'sendEmail',
        'idempotency-key-reused',
        client.post('/v1/emails', { ...email, text: 'y' }, { headers }),
      ],
      ['cancelEmail', 'bad-request', client.post(`/v1/emails/${String(sent.body['id'])}/cancel`)],
      ['createDomain', 'already-exists', client.post('/v1/domains', { domain: 'acme.example' })],
      ['deleteDomain', 'hosted-domain-protected', client.delete(`/v1/domains/${await hostedDomainId()}`)],
      ['deleteDomain', 'domain-in-use', client.delete(`/v1/domains/${String(own['id'])}`)],
      ['createMailbox', 'already-exists', client.post('/v1/mailboxes', mailbox)],
      ['createPerson', 'already-exists', client.post('/v1/directory', person)],
      ['deletePerson', 'synced-member-protected', client.delete(`/v1/directory/${member?.id}`)],
    ];
    for (const [operationId, code, response] of cases) compare(operationId, code, (await response).body);
  });

  async function requestTwiceAuthorized(): Promise<{ body: object }> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = ['Host', 'localhost', 'Authorization', 'Bearer a', 'Authorization', 'Bearer b'];
      httpRequest(`${api.baseUrl}/v1/emails`, { method: 'POST', headers }, resolve)
        .once('error', reject)
        .end();
    });
    return { body: (await json(response)) as object };
  }
});

test('the document is also served below /api, as YAML', async () => {
  const [plain, prefixed] = await Promise.all(
    ['/openapi.yaml', '/api/openapi.yaml'].map(async (path) => (await fetch(api.baseUrl + path)).text()),
  );
  assert.equal(plain, prefixed);
  const { openapi, info } = parse(plain ?? '') as { openapi: string; info: { version: string } };
  assert.deepEqual([openapi, info.version], ['3.1.0', '0.3.0']);
});
