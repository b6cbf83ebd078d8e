/** The OpenAPI document: made from the operations, the schemas of `contract/` and what all operations share. */
import type { TSchema } from 'typebox';
import { COMPONENTS } from '../../contract/components.ts';
import { WEBHOOK_BODIES } from '../../contract/events.ts';
import { Problem } from '../../contract/problem.ts';
import { Ref } from '../../contract/schema.ts';
import { AppError, type ErrorCode } from '../../model/app-error.ts';
import type { Scope } from '../../model/scopes.ts';
import type {
  DocumentOperation,
  Header,
  Media,
  Parameter,
  Reference,
  Response,
  Schema,
  WebhookRequest,
} from './api-document.ts';
import type { Operation } from './operation.ts';
import { PROBLEM_MEDIA_TYPE, PROBLEMS, problemDocument } from './problem.ts';
import { OPERATIONS } from './v1/operations.ts';

const CONTRACT_VERSION = '0.3.0';

/** Any operation may answer these errors. */
const COMMON_ERRORS: readonly ErrorCode[] = [
  'bad-request',
  'missing-api-key',
  'invalid-api-key',
  'missing-scope',
  'validation-failed',
  'rate-limited',
  'internal',
  'unavailable',
];
/** Operations that read a body may answer these too, even those that only check that there is none. */
const BODY_ERRORS: readonly ErrorCode[] = ['malformed-json', 'unsupported-media-type', 'payload-too-large'];

function header(description: string, schema: Schema, required = true): Header {
  return { description, required, schema };
}
const integer = (minimum: number): Schema => ({ type: 'integer', minimum });
const HEADERS = {
  'X-Request-Id': header('Names this request.', { type: 'string', minLength: 1 }),
  'RateLimit-Limit': header(
    'How many requests the API key may make at once. Absent where limits are off.',
    integer(1),
    false,
  ),
  'RateLimit-Remaining': header('How many of these requests are left.', integer(0), false),
  'RateLimit-Reset': header('Seconds until all of them are available again.', integer(0), false),
  'Retry-After': header('Seconds to wait before trying again.', integer(1)),
  'WWW-Authenticate': header('RFC 6750.', { type: 'string', enum: ['Bearer'] }),
};
type HeaderName = keyof typeof HEADERS;
const COMMON_HEADERS: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];
const STATUS_HEADERS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** @param baseUrl null: servers are named relative to where the document was fetched */
export function openApiDocument(baseUrl: string | null) {
  const responses: Record<string, Response> = {};
  const paths: Record<string, Record<string, DocumentOperation>> = {};
  for (const operation of OPERATIONS) {
    const methods = (paths[`/v1${operation.path}`] ??= {});
    methods[operation.method.toLowerCase()] = documented(operation, responses);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Posthorn',
      version: CONTRACT_VERSION,
      description: 'Transactional email on behalf of a project. Every error is a Problem.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'A project API key; it begins with svc_live_.',
        },
      },
      headers: HEADERS,
      schemas: Object.fromEntries(
        COMPONENTS.map((component) => {
          const { $id = '', ...schema } = component as Schema & { $id?: string };
          return [$id, schema];
        }),
      ),
      responses,
    },
    paths,
    webhooks: documentedWebhooks(),
    servers: [
      { url: baseUrl ?? '/', description: 'The service.' },
      { url: `${baseUrl ?? ''}/api`, description: 'The same instance under the prefix /api.' },
    ],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'emails', description: 'Send emails and follow what happens to them.' },
      { name: 'domains', description: 'Domains to send from, and the DNS records that they need.' },
      { name: 'mailboxes', description: 'Addresses that receive mail, each with its own login.' },
      { name: 'webhooks', description: 'URLs that are told what happens to emails.' },
      { name: 'templates', description: 'Saved subjects and bodies.' },
      { name: 'directory', description: 'The address book of an organisation.' },
    ],
  };
}

/** The last line of an operation's description. */
export function scopeNote(scope: Scope): string {
  return `Scope: \`${scope}\`.`;
}

/** @param shared collects the error answers, which many operations have in common */
function documented(operation: Operation, shared: Record<string, Response>): DocumentOperation {
  const { description, body, success } = operation;
  const parameters = parametersOf(operation);
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    tags: [operation.tag],
    description: `${description === undefined ? '' : `${description}\n\n`}${scopeNote(operation.scope)}`,
    ...(body === undefined
      ? {}
      : { requestBody: { required: ((body as Schema).required ?? []).length > 0, ...jsonContent(body) } }),
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: { [success.status]: successResponse(success), ...errorResponses(operation, shared) },
  };
}

function parametersOf({ headers = {}, query = {}, resource }: Operation): Parameter[] {
  const { properties = {}, required = [] } = query as Schema;
  const parameter = (place: Parameter['in'], name: string, isRequired: boolean, whole: Schema): Parameter => {
    const { description, ...schema } = whole;
    return { schema, in: place, name, required: isRequired, description };
  };
  const id = { type: 'string', description: 'An identifier. A malformed one is treated as unknown.' };
  return [
    ...Object.entries(headers).map(([name, schema]) => parameter('header', name, false, schema)),
    ...Object.entries(properties).map(([name, schema]) =>
      parameter('query', name, required.includes(name) && schema.default === undefined, schema),
    ),
    ...(resource === null ? [] : [parameter('path', 'id', true, id)]),
  ];
}

function successResponse({ description, body, headers = {} }: Operation['success']): Response {
  const own = Object.entries<Schema>(headers).map(([name, { description, ...schema }]) => {
    return [name, { schema, description }] as const;
  });
  return {
    description,
    headers: { ...headerReferences(COMMON_HEADERS), ...Object.fromEntries(own) },
    ...(body === undefined ? {} : jsonContent(body)),
  };
}

/** For each status a reference to a shared response, which is named after its errors. */
function errorResponses(operation: Operation, shared: Record<string, Response>): Record<string, Reference> {
  const codes = [
    ...COMMON_ERRORS,
    ...(operation.method === 'GET' ? [] : BODY_ERRORS),
    ...(operation.errors ?? []),
    ...(operation.resource === null ? [] : (['not-found'] as const)),
  ];
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status);
  const statuses = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    statuses.map(([status, found]) => {
      const name = found.join('_');
      shared[name] ??= errorResponse(status, found);
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function errorResponse(status: number, codes: readonly ErrorCode[]): Response {
  const examples = codes.map((code) => [code, { value: example(code) }] as const);
  return {
    description: `${codes.map((code) => PROBLEMS[code].title).join('; ')}.`,
    headers: headerReferences([...COMMON_HEADERS, ...(STATUS_HEADERS[status] ?? [])]),
    content: {
      [PROBLEM_MEDIA_TYPE]: { schema: referenceTo(Problem), examples: Object.fromEntries(examples) },
    },
  };
}

const SIGNATURE_SCHEMA = { type: 'string', pattern: '^t=\\d+,v1=[0-9a-f]{64}$' };
const SIGNATURES: Parameter[] = [
  {
    in: 'header',
    name: 'X-Mail-Signature',
    required: true,
    description: 'When it was sent, and the HMAC-SHA256 of `<t>.<body>` under the whole secret, in hex.',
    schema: SIGNATURE_SCHEMA,
  },
  {
    in: 'header',
    name: 'X-Mail-Signature-Next',
    required: false,
    description: 'While a secret is rotated: the same under the new one, which signs alone afterwards.',
    schema: SIGNATURE_SCHEMA,
  },
];

/** What is POSTed to the URL of a webhook (docs/webhooks.md), by the `type` of the body. */
function documentedWebhooks(): Record<string, { post: WebhookRequest }> {
  return Object.fromEntries(
    WEBHOOK_BODIES.map(({ type, name, description, schema }) => {
      const post: WebhookRequest = {
        operationId: `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
        summary: description,
        tags: ['webhooks'],
        // It proves itself by its signatures.
        security: [],
        parameters: SIGNATURES,
        requestBody: { required: true, ...jsonContent(schema) },
        responses: {
          '2XX': { description: 'The event has arrived. The body of the answer is not used.' },
          default: { description: 'The event is sent again later, up to 12 attempts in all.' },
        },
      };
      return [type, { post }];
    }),
  );
}

function example(code: ErrorCode): Problem {
  const field = code === 'idempotency-key-reused' ? 'Idempotency-Key' : 'from';
  const error = new AppError(code, 'What is wrong with this request.', {
    ...(PROBLEMS[code].status === 422 ? { errors: { [field]: 'what is wrong with it' } } : {}),
    ...(code === 'missing-scope' ? { extensions: { required_scope: 'emails:send' } } : {}),
  });
  return problemDocument(error, 'req_5sJ0aQ2xR8Yf1');
}

function jsonContent(schema: TSchema): { content: Record<string, Media> } {
  return { content: { 'application/json': { schema: referenceTo(schema) } } };
}

function referenceTo(schema: TSchema): Schema {
  return Ref(schema) as Schema;
}

function headerReferences(names: readonly HeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
