/** An example of each error of the API, for the OpenAPI document: a text that the service sends for it. */
import { AppError, type AppErrorFields, type ERROR_CODES, type ErrorCode } from '../../model/app-error.ts';
import { problemDocument } from './problem.ts';

type Example = readonly [detail: string, fields?: AppErrorFields];

const EXAMPLES: Readonly<Record<(typeof ERROR_CODES)[number], Example>> = {
  'bad-request': ['It is too late to cancel: the message has been sent.'],
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
  'missing-scope': [
    'The API key does not have the scope emails:send. Use a key that has this scope.',
    { extensions: { required_scope: 'emails:send' } },
  ],
  'not-found': ['There is no such email in this project. Check the id.'],
  'method-not-allowed': ['This path supports GET, POST.'],
  'payload-too-large': ['The body is larger than 6 MB.'],
  'validation-failed': [
    'The request has invalid fields. See errors.',
    { errors: { to: 'to[0]: must be an email address' } },
  ],
  'domain-not-verified': [
    'The domain acme.example is not verified in this project. Verify it, or send from orders@posthorn.localhost.',
    {
      errors: {
        from: 'acme.example is not a verified domain of this project; verify it, or send from orders@posthorn.localhost',
      },
    },
  ],
  'idempotency-key-reused': [
    'This Idempotency-Key was already used with a different request body. Use a new key for a new email.',
    { errors: { 'Idempotency-Key': 'was used with a different body; use a new key for a new email' } },
  ],
  'already-exists': [
    'This project already has the domain acme.example.',
    { errors: { domain: 'is already a domain of this project' } },
  ],
  'plan-limit-exceeded': [
    'The plan free allows 1 mailbox. Delete a mailbox, or change the plan.',
    { errors: { local_part: 'the plan free allows no more mailboxes; delete one or change the plan' } },
  ],
  'rate-limited': ['This API key has made too many requests. Wait for the number of seconds in Retry-After.'],
  'quota-exceeded': [
    'The project has sent the 3000 emails that its plan allows in a month (UTC). Wait for the next month or change the plan.',
  ],
  internal: ['Something went wrong on our side. The details are in the service log under this request id.'],
  unavailable: ['The service is stopping. Try again later.'],
};

/** @returns the problem document; for an error that only pages receive, with a text that stands for any other */
export function problemExample(code: ErrorCode): object {
  const [detail, fields]: Example =
    code in EXAMPLES ? EXAMPLES[code as keyof typeof EXAMPLES] : ['What is wrong with this request.'];
  return problemDocument(new AppError(code, detail, fields), 'req_5sJ0aQ2xR8Yf1');
}
