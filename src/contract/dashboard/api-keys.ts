/** API keys as the dashboard shows and creates them (docs/api-keys.md). */
import { Type } from 'typebox';
import { ROLES } from '../../model/roles.ts';
import { SCOPES } from '../../model/scopes.ts';
import { Id, Nullable, Ref, Secret, Timestamp, Words } from '../schema.ts';

/**
 * The maximum number of entries in a list, to limit the work of validation. Errors in single entries are found later, by the code that
 * stores the key.
 */
const MAX_ENTRIES = 100;
const entries = (examples: string[], description: string) =>
  Type.Array(Type.String({ maxLength: 320 }), { maxItems: MAX_ENTRIES, examples: [examples], description });

const FromDomains = entries(
  ['acme.example', '*.acme.example'],
  'The only domains that the key can send from. `*.acme.example` matches all subdomains.',
);
const Recipients = entries(
  ['ada@acme.example', '*@acme.example', '*@*.acme.example'],
  'The only addresses that the key can send to. `*@acme.example` matches all addresses of the domain.',
);
const Addresses = entries(
  ['192.0.2.7', '2001:db8::/32'],
  'The only IP addresses and networks that the key can be used from.',
);

const fields = {
  id: Id('key'),
  name: Type.String(),
  last_four: Nullable(
    Type.String({
      description:
        'The last four characters of the token, to identify a leaked key. Null: created by an earlier version.',
    }),
  ),
  scopes: Nullable(Type.Array(Words(SCOPES), { description: 'Null: full access.' })),
  from_domains: Nullable(FromDomains),
  recipients: Nullable(Recipients),
  addresses: Nullable(Addresses),
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(
    Type.Unsafe<string>({ ...Timestamp, description: 'Accurate to a minute. Null: never used.' }),
  ),
  created_by: Nullable(
    Type.String({
      description:
        'The name of the user who created the key in the dashboard. Null: created on the command line, at the first start, or by a deleted user.',
    }),
  ),
  maker_role: Nullable(
    Words(ROLES, {
      description:
        "The creator's current role in the project. Null: none, or the key was not created in the dashboard.",
    }),
  ),
  exceeds_maker: Type.Boolean({
    description: 'The creator could not create this key now: their role grants less, or they have left.',
  }),
  created_at: Timestamp,
};

export const ApiKey = Type.Object(fields, {
  $id: 'ApiKey',
  description: 'An API key without its token. A list that is null means no restriction.',
});
export type ApiKey = Type.Static<typeof ApiKey>;

export const CreatedApiKey = Type.Object(
  { ...fields, token: Secret(Type.String({ description: 'Shown once: only its hash is stored.' })) },
  { $id: 'CreatedApiKey' },
);
export type CreatedApiKey = Type.Static<typeof CreatedApiKey>;

export const CreateApiKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'The name shown to users.' }),
    scopes: Type.Optional(
      Nullable(
        Type.Array(Words(SCOPES), {
          minItems: 1,
          maxItems: SCOPES.length,
          uniqueItems: true,
          description: 'Absent or null: full access.',
        }),
      ),
    ),
    from_domains: Type.Optional(FromDomains),
    recipients: Type.Optional(Recipients),
    addresses: Type.Optional(Addresses),
    expires_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'Absent: the key does not expire.' }),
    ),
  },
  { $id: 'CreateApiKey', additionalProperties: false },
);
export type CreateApiKey = Type.Static<typeof CreateApiKey>;

export const RenameApiKey = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 100 }) },
  { $id: 'RenameApiKey', additionalProperties: false },
);

export const ApiKeyList = Type.Object(
  {
    data: Type.Array(Ref(ApiKey), {
      description: 'The keys that are not revoked, oldest first.',
    }),
    scopes: Type.Array(
      Type.Object({
        scope: Words(SCOPES),
        allows: Type.String({ description: 'A readable description of the permission.' }),
        granted_by: Words(ROLES, { description: 'The role required to create a key with the scope.' }),
      }),
      { description: 'All scopes.' },
    ),
    full_access_granted_by: Words(ROLES, {
      description: 'The role required to create a key without scopes.',
    }),
  },
  { $id: 'ApiKeyList' },
);
export type ApiKeyList = Type.Static<typeof ApiKeyList>;

export const MemberKeyList = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        id: Id('key'),
        name: Type.String(),
        project_id: Id('prj'),
        project_name: Type.String(),
        scopes: fields.scopes,
        last_used_at: fields.last_used_at,
      }),
    ),
  },
  {
    $id: 'MemberKeyList',
    description: 'The API keys of an organization that one member created, oldest first.',
  },
);
export type MemberKeyList = Type.Static<typeof MemberKeyList>;
