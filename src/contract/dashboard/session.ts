/** The user signed in to the dashboard, and the organizations and projects that the user can open. */
import { Type } from 'typebox';
import { PLANS } from '../../model/plans.ts';
import { ROLES } from '../../model/roles.ts';
import { SIGN_IN_REQUIREMENTS } from '../../model/sign-in-requirements.ts';
import { Id, Nullable, Secret, Timestamp, Words } from '../schema.ts';
import { RequiredSignIn } from './organizations.ts';

const ServiceFacts = Type.Object(
  {
    version: Type.String(),
    environment: Words(['development', 'production']),
    provider: Words(['sandbox', 'smtp', 'direct', 'ses', 'none']),
    not_sending_since: Type.Unsafe<string | null>({
      ...Nullable(Timestamp),
      description:
        'The time since which this installation has sent no mail, because it has no provider. Mail is accepted and queued. Null: mail is sent.',
    }),
    hosted_domain: Type.String({ description: 'Every project can send from it without any setup.' }),
    hostname: Type.String({ description: 'The host at which applications submit mail by SMTP.' }),
    base_url: Type.String({ description: 'The URL of the API, without a trailing slash.' }),
    submission: Type.Array(
      Type.Object({
        port: Type.Integer(),
        security: Words(['tls', 'starttls', 'none'], { description: '`tls`: TLS from the first byte.' }),
      }),
      { description: 'The SMTP ports, best first.' },
    ),
  },
  { $id: 'ServiceFacts', description: 'This installation.' },
);

export const Session = Type.Object(
  {
    user: Type.Object({
      id: Id('usr'),
      email: Type.String(),
      name: Type.String(),
      is_operator: Type.Boolean({
        description: 'Whether the user is an operator of the installation, who sees System.',
      }),
      operator_lacks: Nullable(
        Words(SIGN_IN_REQUIREMENTS, {
          description:
            'The sign-in that the installation requires of operators and the session does not have. Null: none.',
        }),
      ),
    }),
    session_id: Id('ses'),
    csrf_token: Secret(
      Type.String({
        description:
          'The X-CSRF-Token of every request other than GET. It stays the same for the whole session.',
      }),
    ),
    confirmed_until: Type.Unsafe<string>({
      ...Timestamp,
      description:
        'The time until which keys, secrets and people can be changed without another confirmation of identity.',
    }),
    organizations: Type.Array(
      Type.Object({
        id: Id('org'),
        name: Type.String(),
        role: Words(ROLES),
        required_sign_in: RequiredSignIn,
        lacks: Nullable(
          Words(SIGN_IN_REQUIREMENTS, {
            description:
              'The sign-in that the organization requires and the session does not have. Without it, the organization cannot be opened. Null: none.',
          }),
        ),
      }),
    ),
    projects: Type.Array(
      Type.Object({
        id: Id('prj'),
        name: Type.String(),
        organization_id: Id('org'),
        plan: Words(PLANS),
        role: Words(ROLES),
        sees_bodies: Type.Boolean({ description: 'Whether the user can see the content of emails.' }),
        uses_mailboxes: Type.Boolean({ description: 'Whether the project has a mailbox or an alias.' }),
        created_at: Timestamp,
      }),
      { description: 'The projects that the user belongs to, oldest first.' },
    ),
    service: ServiceFacts,
  },
  { $id: 'Session', description: 'The current session.' },
);
export type Session = Type.Static<typeof Session>;
