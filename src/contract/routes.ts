/** Routes: incoming mail that programs receive at a URL, or fetch (docs/routes.md). An addition to the contract. */
import { Type } from 'typebox';
import { ROUTE_FORMATS, ROUTE_MESSAGE_STATUSES } from '../model/routes.ts';
import { EXAMPLE_IDS, Id, Nullable, Ref, Secret, Timestamp, Words } from './schema.ts';

const MAX_URL_LENGTH = 2_048;
const MAX_LOCAL_PART_LENGTH = 64;
const ADDITION = 'Addition to contract 0.3.0.';

// Secret, because a rejected URL may contain a password. The schema of responses has its own field.
const Url = Secret(
  Type.String({
    maxLength: MAX_URL_LENGTH,
    description:
      'An absolute https URL on a public host, without a fragment. A user name and a password are sent with each request and never shown again. Empty: messages are only fetched. In development, http and this machine are also allowed.',
  }),
);
const Format = Words(ROUTE_FORMATS, {
  description: 'The format in which messages are sent: docs/routes.md, Formats.',
});

export const CreateRoute = Type.Object(
  {
    domain_id: Type.Optional(
      Type.String({
        description:
          'A domain of the project. Alone: all addresses of the domain that no mailbox, alias or other route receives. With local_part: this address, also at the hosted domain.',
      }),
    ),
    local_part: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_LOCAL_PART_LENGTH,
        description:
          'The part before the @, with the same rules as for mailboxes. Must be unique among the mailboxes, aliases and routes of the domain.',
      }),
    ),
    mailbox_id: Type.Optional(
      Type.String({ description: 'A mailbox of the project with API access: the mail that it receives.' }),
    ),
    tag: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_LOCAL_PART_LENGTH,
        description: 'With mailbox_id: only mail to name+tag.',
      }),
    ),
    format: Type.Optional(Format),
    url: Type.Optional(Url),
  },
  {
    $id: 'CreateRoute',
    additionalProperties: false,
    description: ADDITION,
    examples: [
      {
        domain_id: EXAMPLE_IDS.dom,
        local_part: 'support',
        format: 'json',
        url: 'https://hooks.acme.example/incoming',
      },
    ],
  },
);
export type CreateRoute = Type.Static<typeof CreateRoute>;

export const UpdateRoute = Type.Object(
  { format: Type.Optional(Format), url: Type.Optional(Url) },
  {
    $id: 'UpdateRoute',
    additionalProperties: false,
    description: `${ADDITION} Omitted fields stay unchanged. A new URL without a user name and a password removes the previous ones.`,
    examples: [{ format: 'raw' }],
  },
);
export type UpdateRoute = Type.Static<typeof UpdateRoute>;

const routeFields = {
  id: Id('rt'),
  matches: Words(['address', 'domain', 'mailbox'], { description: 'What the route receives.' }),
  address: Nullable(Type.String({ description: 'The address, or that of the mailbox; null for a domain.' })),
  domain: Type.String({ description: 'In lower case; an internationalized name as A-labels.' }),
  domain_id: Id('dom'),
  mailbox_id: Nullable(Id('mbx')),
  tag: Nullable(Type.String({ description: 'Only mail to name+tag. Null: all mail.' })),
  format: Format,
  url: Nullable(
    Type.String({ description: 'Without the user name and the password. Null: messages are only fetched.' }),
  ),
  has_credentials: Type.Boolean({ description: 'Whether a user name and a password are sent.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
  last_success_at: Nullable(Timestamp),
  last_failure_at: Nullable(Timestamp),
  failing_since: Nullable(Timestamp),
  deferred: Type.Integer({
    minimum: 0,
    description: 'Messages that were deferred because their senders sent more than 20 in a minute.',
  }),
  last_deferred_at: Nullable(Timestamp),
};

const CREATED_AT = '2026-11-20T15:04:05.123Z';
const routeExample = {
  id: EXAMPLE_IDS.rt,
  matches: 'address' as const,
  address: 'support@acme.example',
  domain: 'acme.example',
  domain_id: EXAMPLE_IDS.dom,
  mailbox_id: null,
  tag: null,
  format: 'json' as const,
  url: 'https://hooks.acme.example/incoming',
  has_credentials: false,
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
  last_success_at: null,
  last_failure_at: null,
  failing_since: null,
  deferred: 0,
  last_deferred_at: null,
};

export const Route = Type.Object(routeFields, {
  $id: 'Route',
  description: ADDITION,
  examples: [routeExample],
});
export type Route = Type.Static<typeof Route>;

export const CreatedRoute = Type.Object(
  {
    ...routeFields,
    secret: Secret(
      Type.String({
        description: 'The secret that signs requests and opens attachments. Returned only here.',
      }),
    ),
  },
  {
    $id: 'CreatedRoute',
    description: ADDITION,
    examples: [{ ...routeExample, secret: 'whsec_EXAMPLExEXAMPLExEXAMPLExEXAMPLExEXAMPLExEXA' }],
  },
);
export type CreatedRoute = Type.Static<typeof CreatedRoute>;

export const RouteList = Type.Object(
  { data: Type.Array(Ref(Route), { description: 'Oldest first.' }) },
  { $id: 'RouteList', description: ADDITION, examples: [{ data: [routeExample] }] },
);
export type RouteList = Type.Static<typeof RouteList>;

export const RouteReplay = Type.Object(
  { id: Id('rm'), status: Words(ROUTE_MESSAGE_STATUSES), next_attempt_at: Nullable(Timestamp) },
  {
    $id: 'RouteReplay',
    description: ADDITION,
    examples: [{ id: EXAMPLE_IDS.rm, status: 'pending', next_attempt_at: CREATED_AT }],
  },
);
export type RouteReplay = Type.Static<typeof RouteReplay>;
