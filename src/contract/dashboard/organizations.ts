/** Organizations: members, invitations, projects and the audit log. */
import { type Static, Type } from 'typebox';
import { PLANS } from '../../model/plans.ts';
import { PROJECT_ROLES, ROLES } from '../../model/roles.ts';
import { SIGN_IN_REQUIREMENTS } from '../../model/sign-in-requirements.ts';
import { Id, Nullable, Ref, Secret, Timestamp, Words } from '../schema.ts';
import { EmailAddress } from './users.ts';

const MAX_NAME = 100;
const MAX_PROJECT_ROLES = 1_000;
const MAX_PAGE = 100;

const Name = Type.String({ minLength: 1, maxLength: MAX_NAME, description: 'A single line.' });
const RoleName = Words(ROLES);
const SeesBodies = Type.Boolean({ description: 'Whether a viewer may read the content of emails.' });

export const RenameOrganization = Type.Object(
  { name: Name },
  { $id: 'RenameOrganization', additionalProperties: false },
);

export const RequiredSignIn = Nullable(
  Words(SIGN_IN_REQUIREMENTS, {
    description:
      '`second-factor`: a code or a passkey, or a sign-in with the OpenID provider. `openid`: a sign-in with the OpenID provider. Null: a password is enough.',
  }),
);

export const RequireSignIn = Type.Object(
  { required: RequiredSignIn },
  { $id: 'RequireSignIn', additionalProperties: false },
);

export const CreatedOrganization = Type.Object({ id: Id('org'), name: Name }, { $id: 'CreatedOrganization' });
export type CreatedOrganization = Type.Static<typeof CreatedOrganization>;

export const CreateProject = Type.Object(
  {
    name: Name,
    plan: Type.Optional(
      Words(PLANS, { description: 'Chosen by operators. Default: POSTHORN_DEFAULT_PLAN.' }),
    ),
  },
  { $id: 'CreateProject', additionalProperties: false },
);
export type CreateProject = Static<typeof CreateProject>;

export const CreatedProject = Type.Object({ id: Id('prj'), name: Name }, { $id: 'CreatedProject' });
export type CreatedProject = Type.Static<typeof CreatedProject>;

export const Member = Type.Object(
  {
    user_id: Id('usr'),
    email: Type.String(),
    name: Type.String(),
    role: RoleName,
    sees_bodies: SeesBodies,
    project_roles: Type.Array(Type.Object({ project_id: Id('prj'), role: Words(PROJECT_ROLES) }), {
      description:
        'Projects in which the member has a lower role. `none`: the member cannot see the project.',
    }),
    is_verified: Type.Boolean({
      description:
        'False: the account was created from a copied link, and its owner has not yet opened a link sent to the address.',
    }),
    has_second_factor: Nullable(
      Type.Boolean({
        description: 'An authenticator app or a passkey. Visible to owners and admins; null for others.',
      }),
    ),
    last_signed_in_at: Nullable(
      Type.Unsafe<string>({ ...Timestamp, description: 'Visible to owners and admins; null for others.' }),
    ),
    created_at: Timestamp,
  },
  { $id: 'Member' },
);
export type Member = Type.Static<typeof Member>;

export const MemberList = Type.Object(
  { data: Type.Array(Ref(Member)) },
  { $id: 'MemberList', description: 'Oldest first.' },
);

export const UpdateMember = Type.Object(
  {
    role: Type.Optional(RoleName),
    sees_bodies: Type.Optional(SeesBodies),
    project_roles: Type.Optional(
      Type.Array(
        Type.Object(
          {
            project_id: Type.String(),
            role: Nullable(Words(PROJECT_ROLES, { description: 'Null: their role in the organization.' })),
          },
          { additionalProperties: false },
        ),
        { maxItems: MAX_PROJECT_ROLES, description: 'The roles to change.' },
      ),
    ),
  },
  { $id: 'UpdateMember', additionalProperties: false },
);
export type UpdateMember = Type.Static<typeof UpdateMember>;

export const RemoveMember = Type.Object(
  {
    keys: Type.Optional(
      Words(['keep', 'revoke'], {
        description:
          'Whether the API keys that they created in the organization continue to work. Default: `keep`.',
      }),
    ),
  },
  { additionalProperties: false },
);

const invitation = {
  id: Id('inv'),
  email: Type.String(),
  role: RoleName,
  sees_bodies: SeesBodies,
  invited_by: Type.String(),
  awaits_confirmation: Type.Boolean({
    description:
      'The mailbox of the address is on this server, and people with a lower role or of another organization can read it. An owner or an operator must confirm the invitation before its link works.',
  }),
  created_at: Timestamp,
  expires_at: Timestamp,
};

export const InvitationList = Type.Object(
  { data: Type.Array(Type.Object(invitation)) },
  { $id: 'InvitationList', description: 'Pending invitations, oldest first.' },
);
export type InvitationList = Type.Static<typeof InvitationList>;

export const CreateInvitation = Type.Object(
  { email: EmailAddress, role: RoleName, sees_bodies: Type.Optional(SeesBodies) },
  { $id: 'CreateInvitation', additionalProperties: false },
);

export const CreatedInvitation = Type.Object(
  {
    ...invitation,
    is_mailed: Type.Boolean({
      description:
        'Whether the invitation is also sent by email. No email is sent if the mailbox of the address is on this server: pass on the link yourself.',
    }),
    url: Secret(Type.String({ description: 'The link. Returned only in this response.' })),
  },
  { $id: 'CreatedInvitation' },
);
export type CreatedInvitation = Type.Static<typeof CreatedInvitation>;

export const MemberResetLink = Type.Object(
  {
    url: Secret(Type.String({ description: 'The link. Returned only in this response. It works once.' })),
    expires_at: Timestamp,
  },
  { $id: 'MemberResetLink' },
);
export type MemberResetLink = Type.Static<typeof MemberResetLink>;

export const ACTOR_KINDS = ['user', 'api-key', 'command-line', 'system', 'mailbox'] as const;

const AuditFields = Nullable(
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'By field name.',
  }),
);

const changesFilter = {
  project: Type.Optional(Type.String({ description: 'Changes of one project.' })),
  who: Type.Optional(Type.String({ maxLength: MAX_NAME, description: "A part of the actor's name." })),
  by: Type.Optional(Words(ACTOR_KINDS, { description: 'The kind of actor.' })),
  what: Type.Optional(
    Type.String({
      maxLength: MAX_NAME,
      description: 'An action, `api-key.create`, or a resource, `api-key`.',
    }),
  ),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'Changes at this time or later.' })),
};

export const ExportChanges = Type.Object(
  { ...changesFilter, format: Words(['csv', 'ndjson']) },
  { additionalProperties: false },
);

export const ListChanges = Type.Object(
  {
    ...changesFilter,
    cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the previous page.' })),
    limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 50 }),
  },
  { additionalProperties: false },
);

export const ChangeList = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        id: Id('aud'),
        created_at: Timestamp,
        action: Type.String({ description: 'The resource and the verb: `api-key.create`.' }),
        actor: Type.Object({
          kind: Words(ACTOR_KINDS),
          id: Nullable(Type.String()),
          name: Type.String({ description: "The actor's name at that time." }),
          address: Nullable(Type.String({ description: "The actor's IP address." })),
        }),
        project_id: Nullable(Type.String()),
        target: Type.String({ description: 'The changed resource: its id or another name.' }),
        target_name: Nullable(Type.String()),
        before: AuditFields,
        after: AuditFields,
      }),
    ),
    next_cursor: Nullable(Type.String()),
  },
  { $id: 'ChangeList', description: 'Newest first.' },
);
export type ChangeList = Type.Static<typeof ChangeList>;
