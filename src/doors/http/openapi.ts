/** The OpenAPI document, generated from the operations, the schemas of `contract/` and the parts common to all operations. */
import { COMPONENTS } from '../../contract/components.ts';
import { WEBHOOK_BODIES } from '../../contract/events.ts';
import { EXAMPLE_IDS, Id } from '../../contract/schema.ts';
import type { ErrorCode } from '../../model/app-error.ts';
import type { IdPrefix } from '../../model/ids.ts';
import type { Scope } from '../../model/scopes.ts';
import type { DocumentOperation, Parameter, Response, WebhookRequest } from './api-document.ts';
import {
  ADDRESS_EXAMPLE,
  errorResponses,
  header,
  integer,
  jsonContent,
  parametersOf,
  requestBodyOf,
  schemasOf,
  SHARED_HEADERS,
  successResponse,
} from './document-parts.ts';
import type { Operation } from './operation.ts';
import { apiProblemExample } from './problem-examples.ts';
import { OPERATIONS } from './v1/operations.ts';

const CONTRACT_VERSION = '0.3.0';

/** Errors that any operation may return. */
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
/** Further errors from operations that read a body or check that there is no body. */
const BODY_ERRORS: readonly ErrorCode[] = ['malformed-json', 'unsupported-media-type', 'payload-too-large'];

const HEADERS = {
  ...SHARED_HEADERS,
  'RateLimit-Limit': header(
    'The number of requests that the API key may make in a burst. Absent if rate limits are off.',
    integer(1),
    false,
  ),
  'RateLimit-Remaining': header('The number of requests left of that burst.', integer(0), false),
  'RateLimit-Reset': header('Seconds until the whole burst is available again.', integer(0), false),
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

/** The default of POSTHORN_HOSTED_DOMAIN. */
const HOSTED_DOMAIN = 'posthorn.localhost';

/**
 * @param baseUrl the public URL of the service; if null, the server URLs are relative to the URL of the document
 * @param hostedDomain the domain of senders in the examples of operations; every project can send from it, so these examples can be sent
 * unchanged
 */
export function openApiDocument(baseUrl: string | null, hostedDomain = HOSTED_DOMAIN) {
  const responses: Record<string, Response> = {};
  const paths: Record<string, Record<string, DocumentOperation>> = {};
  for (const operation of OPERATIONS) {
    const methods = (paths[`/v1${operation.path}`] ??= {});
    methods[operation.method.toLowerCase()] = documented(operation, responses, hostedDomain);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Posthorn',
      version: CONTRACT_VERSION,
      description:
        'Send and receive email for a project. Every error is a Problem (RFC 9457). “Addition to contract 0.3.0” marks optional operations and fields that are not part of version 0.3.0 of the API contract.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            "Send a project's API key (it starts with `svc_live_`) as `Authorization: Bearer <API_KEY>`. A key limited to scopes needs the scope listed with the operation.",
        },
      },
      headers: HEADERS,
      schemas: schemasOf(COMPONENTS),
      responses,
    },
    paths: sentFrom(paths, hostedDomain),
    webhooks: documentedWebhooks(),
    servers: [
      { url: baseUrl ?? '/', description: 'The service.' },
      { url: `${baseUrl ?? ''}/api`, description: 'The same instance under the prefix /api.' },
    ],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'emails', description: 'Send emails and track their delivery.' },
      { name: 'domains', description: 'The domains you send from, and the DNS records they need.' },
      { name: 'mailboxes', description: 'Addresses that receive mail, each with its own login.' },
      {
        name: 'aliases',
        description: 'Addresses that deliver to one or more mailboxes. Addition to contract 0.3.0.',
      },
      { name: 'webhooks', description: 'Endpoints that are notified of email events.' },
      { name: 'routes', description: 'Incoming mail for programs. Addition to contract 0.3.0.' },
      { name: 'templates', description: 'Saved subjects and bodies.' },
      { name: 'directory', description: 'The address book of a project.' },
      {
        name: 'suppressions',
        description: 'Addresses that a project no longer sends to. Addition to contract 0.3.0.',
      },
    ],
  };
}

const SENDER_FIELDS: readonly string[] = ['from', 'message_id'];

/** Replaces the domain of senders in examples. The Message-ID of an email is at the same domain. */
function sentFrom<Paths>(paths: Paths, hostedDomain: string): Paths {
  const json = JSON.stringify(paths, (key, value: unknown) =>
    SENDER_FIELDS.includes(key) && typeof value === 'string'
      ? value.replace(/@[^@>]*/, () => `@${hostedDomain}`)
      : value,
  );
  return JSON.parse(json) as Paths;
}

/** The scope, as the last line of an operation's description. */
export function scopeNote(scope: Scope): string {
  return `Scope: \`${scope}\`.`;
}

/** @param shared receives the error responses, which many operations share */
function documented(
  operation: Operation,
  shared: Record<string, Response>,
  hostedDomain: string,
): DocumentOperation {
  const { description, body, success } = operation;
  const { headers, query, resource, part } = operation;
  const exampleOf = (prefix: IdPrefix | null | undefined): string =>
    (prefix == null ? null : (EXAMPLE_IDS as Partial<Record<IdPrefix, string>>)[prefix]) ?? ADDRESS_EXAMPLE;
  const inPath = Object.fromEntries(
    Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name = '']) => [
      name,
      exampleOf(name === 'part' ? part?.prefix : resource?.prefix),
    ]),
  );
  const parameters = parametersOf({ headers, query, inPath });
  const codes = [
    ...COMMON_ERRORS,
    ...(operation.method === 'GET' ? [] : BODY_ERRORS),
    ...(operation.errors ?? []),
    ...(resource === null ? [] : (['not-found'] as const)),
  ];
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    tags: [operation.tag],
    description: `${description === undefined ? '' : `${description}\n\n`}${scopeNote(operation.scope)}`,
    ...requestBodyOf(body),
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: {
      [success.status]: successResponse(success, COMMON_HEADERS),
      ...errorResponses(codes, shared, {
        exampleOf: (code) => apiProblemExample(code, operation, hostedDomain),
        headersOf: (status) => [...COMMON_HEADERS, ...(STATUS_HEADERS[status] ?? [])],
      }),
    },
  };
}

const SIGNATURE_SCHEMA = { type: 'string', pattern: '^t=\\d+,v1=[0-9a-f]{64}$' };
const SIGNATURE_EXAMPLE = 't=1795187045,v1=933b781b536ec408b86b706aadf00a5870ad57addc5445a2e5bd869806495a90';
const SIGNATURES: Parameter[] = [
  {
    in: 'header',
    name: 'X-Mail-Signature',
    required: true,
    description:
      'The time of sending (`t`), and the HMAC-SHA256 of `<t>.<body>` keyed with the whole secret, in hex (`v1`).',
    schema: SIGNATURE_SCHEMA,
    example: SIGNATURE_EXAMPLE,
  },
  {
    in: 'header',
    name: 'X-Mail-Signature-Next',
    required: false,
    description:
      'Present while a secret rotates: the same signature, made with the new secret. The new secret replaces the old one when the rotation ends.',
    schema: SIGNATURE_SCHEMA,
    example: SIGNATURE_EXAMPLE,
  },
  {
    in: 'header',
    name: 'Webhook-Id',
    required: true,
    description: 'The `id` in the body, for libraries of Standard Webhooks.',
    schema: { ...Id('evt') },
    example: EXAMPLE_IDS.evt,
  },
  {
    in: 'header',
    name: 'Webhook-Timestamp',
    required: true,
    description: 'The time of sending, in Unix seconds: the same as `t`.',
    schema: { type: 'string', pattern: '^\\d+$' },
    example: '1795187045',
  },
  {
    in: 'header',
    name: 'Webhook-Signature',
    required: false,
    description:
      'Missing if the secret was created before Posthorn supported Standard Webhooks. `v1,` and the HMAC-SHA256 of `<Webhook-Id>.<Webhook-Timestamp>.<body>` in base64. The key is the base64 after `whsec_`, decoded. While a secret rotates, two such values, separated by a space.',
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' },
    example: 'v1,kuDbkK4K1yMn+xxyB5NE2NRpLc9lPenrcFkQ4TXBDrU=',
  },
];

/** The requests that the service POSTs to webhook URLs (docs/webhooks.md), by the `type` in the body. */
function documentedWebhooks(): Record<string, { post: WebhookRequest }> {
  return Object.fromEntries(
    WEBHOOK_BODIES.map(({ type, name, description, schema }) => {
      const post: WebhookRequest = {
        operationId: `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
        summary: description,
        tags: ['webhooks'],
        // No API key: the receiver checks the signatures.
        security: [],
        parameters: SIGNATURES,
        requestBody: { required: true, ...jsonContent(schema) },
        responses: {
          '2XX': { description: 'The event was received. The response body is ignored.' },
          default: { description: 'The delivery is retried later, with up to 12 attempts in total.' },
        },
      };
      return [type, { post }];
    }),
  );
}
