/** Examples of errors for the OpenAPI documents. The texts of the API's errors are texts that the service sends. */
import type { ApiTag } from '../../contract/operation.ts';
import { AppError, type AppErrorFields, type ERROR_CODES, type ErrorCode } from '../../model/app-error.ts';
import type { Operation } from './operation.ts';
import { problemDocument } from './problem.ts';
import { unknownFieldError } from './validation.ts';

export interface ProblemExample {
  value: object;
  /** Distinguishes this example from examples of the same code for other operations. Null if the operations share the example. */
  variant: string | null;
}

type ApiErrorCode = (typeof ERROR_CODES)[number];
type Fault = readonly [detail: string, fields?: AppErrorFields];

/** Errors whose text is the same for every operation. */
const SHARED = {
  'bad-request': ['The header Authorization was sent twice. Send it once.'],
  'malformed-json': ['The body is not valid UTF-8. Encode it as UTF-8.'],
  'unsupported-media-type': ['Send the body as Content-Type: application/json.'],
  'hosted-domain-protected': ['The hosted domain cannot be removed.'],
  'synced-member-protected': [
    'This person belongs to a mailbox of the project and is removed with it. Delete the mailbox instead.',
  ],
  'domain-in-use': ['There are mailboxes on the domain. Delete them first.'],
  'missing-api-key': ['Send the API key as Authorization: Bearer <API_KEY>.'],
  'invalid-api-key': [
    'The API key is unknown, revoked or expired, or cannot be used from this IP address. Use another key.',
  ],
  'method-not-allowed': ['This path supports GET, POST.'],
  'payload-too-large': ['The body is larger than 6 MB.'],
  'idempotency-key-reused': [
    'This Idempotency-Key was already used with a different request body. Use a new key for a new email.',
    { errors: { 'Idempotency-Key': 'was used with a different body; use a new key for a new email' } },
  ],
  'rate-limited': ['This API key has made too many requests. Wait for the number of seconds in Retry-After.'],
  'quota-exceeded': [
    'The project has sent the 100 emails that its plan allows in a month (UTC). Wait for the next month or change the plan.',
  ],
  internal: ['Something went wrong on our side. The details are in the service log under this request id.'],
  unavailable: [
    'The service is temporarily unavailable. Try again after the number of seconds in Retry-After.',
  ],
} as const satisfies Partial<Record<ApiErrorCode, Fault>>;

const ADDRESS_TAKEN: Fault = [
  'A mailbox, an alias or a route with this address already exists.',
  { errors: { local_part: 'is already the address of a mailbox of this domain' } },
];

/** Errors whose text depends on the kind of resource. */
const BY_TAG = {
  'already-exists': {
    domains: [
      'This project already has the domain acme.example.',
      { errors: { domain: 'is already a domain of this project' } },
    ],
    mailboxes: ADDRESS_TAKEN,
    aliases: ADDRESS_TAKEN,
    directory: [
      'The directory already has a person with this address.',
      { errors: { email: 'is the address of another person in the directory' } },
    ],
  },
  'plan-limit-exceeded': {
    emails: [
      'This email would need more storage than the plan of the project allows. Change the plan.',
      { errors: { html: 'exceeds the storage of the plan; change the plan' } },
    ],
    domains: [
      'The plan paid allows 50 domains of your own. Remove a domain, or change the plan.',
      { errors: { domain: 'the project has 50 of 50 domains; remove one or change the plan' } },
    ],
    mailboxes: [
      'The plan free allows 1 mailbox. Delete a mailbox, or change the plan.',
      { errors: { local_part: 'the plan free allows no more mailboxes; delete one or change the plan' } },
    ],
    aliases: [
      'A project can have at most 1000 aliases. Delete one first.',
      { errors: { local_part: 'the project already has 1000 aliases; delete one first' } },
    ],
    webhooks: [
      'A project can have at most 50 webhooks. Delete one first.',
      { errors: { url: 'the project has 50 webhooks, which is the limit; delete one first' } },
    ],
    directory: [
      'The directory of a project can have at most 10000 people added manually. Remove a person first.',
      { errors: { email: 'the directory is full; remove a person first' } },
    ],
  },
} as const satisfies Partial<Record<ApiErrorCode, Partial<Record<ApiTag, Fault>>>>;

/** @param hostedDomain the domain of the sender that the error for an unverified domain suggests */
export function apiProblemExample(
  code: ErrorCode,
  operation: Operation,
  hostedDomain: string,
): ProblemExample {
  const { operationId, scope, resource, part, tag } = operation;
  switch (code) {
    case 'bad-request':
      return operationId === 'cancelEmail'
        ? example(code, ['Nothing is left to cancel: this email has been sent or has failed.'], operationId)
        : example(code, SHARED[code]);
    case 'missing-scope': {
      const detail = `The API key does not have the scope ${scope}. Use a key that has this scope.`;
      return example(code, [detail, { extensions: { required_scope: scope } }], scope.replace(':', '.'));
    }
    case 'not-found': {
      const name = (part ?? resource)?.name ?? tag;
      return example(code, [`There is no such ${name} in this project. Check the id.`], name);
    }
    case 'validation-failed': {
      const { errors, variant } = invalidField(operation);
      return example(code, ['The request has invalid fields. See errors.', { errors }], variant);
    }
    case 'domain-not-verified': {
      const address = `orders@${hostedDomain}`;
      const from = `acme.example is not a verified domain of this project; verify it, or send from ${address}`;
      const detail = `The domain acme.example is not verified in this project. Verify it, or send from ${address}.`;
      return example(code, [detail, { errors: { from } }]);
    }
    case 'already-exists':
    case 'plan-limit-exceeded': {
      const faults: Partial<Record<ApiTag, Fault>> = BY_TAG[code];
      return example(code, faults[tag] ?? PLACEHOLDER, tag);
    }
    default:
      return example(code, code in SHARED ? SHARED[code as keyof typeof SHARED] : PLACEHOLDER);
  }
}

/** One field that makes a request to the operation invalid: a missing field, or an unknown query parameter if no field is required. */
function invalidField({ operationId, body, query }: Operation): {
  errors: Record<string, string>;
  variant: string;
} {
  if (operationId === 'sendEmail') {
    const to = 'to[0]: not an address: it has no @; write local@domain or Name <local@domain>';
    return { errors: { to }, variant: operationId };
  }
  const { required: [field] = [] } = (body ?? {}) as { required?: string[] };
  if (field !== undefined) return { errors: { [field]: 'is required' }, variant: field };
  return {
    errors: { verbose: unknownFieldError(query) },
    variant: query === undefined ? 'verbose' : operationId,
  };
}

const PLACEHOLDER: Fault = ['What is wrong with this request.'];

/** An example with a placeholder text, for the documents of the dashboard and the web client, which only their own clients are built from. */
export function placeholderProblem(code: ErrorCode): ProblemExample {
  return example(code, PLACEHOLDER);
}

function example(code: ErrorCode, [detail, fields]: Fault, variant: string | null = null): ProblemExample {
  return { value: problemDocument(new AppError(code, detail, fields), 'req_5sJ0aQ2xR8Yf1'), variant };
}
