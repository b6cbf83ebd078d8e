/** Operations on the grants of mailboxes, for the dashboard, the command line and the owner of a mailbox. `run.ts` implements them. */
import {
  type MailboxGrant,
  MailboxSharing,
  ShareMailbox,
  UnshareMailbox,
} from '../../contract/dashboard/sharing.ts';
import { type CliTable, declare, tableOf } from '../../contract/operation.ts';

const SAMPLE = '--project default --address info@acme.example';
const MEMBER = '--member ann@acme.example';
const OPTIONS = {
  project: 'the project of the mailbox',
  address: 'the address of the mailbox that is shared',
};

const COLUMNS: CliTable<MailboxGrant>['columns'] = [
  { title: 'MEMBER', cell: 'address' },
  { title: 'ACCESS', cell: 'access' },
  { title: 'SENDS', cell: 'sending' },
];
const NONE = '{address} has no members.';

export const SHARING_OPERATIONS = {
  getMailboxSharing: declare({
    summary: 'List the members of a mailbox, and the mailboxes shared with its owner',
    success: { status: 200, description: 'The grants, from both sides.', body: MailboxSharing },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/mailboxes/{id}/members',
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'viewer',
      },
      mail: { id: 'getOwnMailboxSharing', route: 'GET /mailboxes/{mailbox}/members' },
      cli: {
        command: 'mailbox member list',
        description: 'list the members of a mailbox, who can open it with their own logins',
        example: SAMPLE,
        options: OPTIONS,
        table: tableOf<MailboxGrant>({
          columns: [...COLUMNS, { title: 'AGE', cell: 'granted_at' }],
          none: NONE,
        }),
      },
    },
  }),
  shareMailbox: declare({
    summary: 'Give another mailbox access',
    description:
      'The owner of the member mailbox gets access with their own login. If the member already has access, the rights are replaced. A mailbox whose address is the sign-in address of a verified user, or that received service mail in the last seven days, cannot be shared.',
    body: ShareMailbox,
    success: { status: 200, description: 'The grants, from both sides.', body: MailboxSharing },
    doors: {
      dashboard: {
        route: 'PUT /projects/{project}/mailboxes/{id}/members',
        needsConfirmation: true,
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'admin',
      },
      mail: {
        id: 'shareOwnMailbox',
        route: 'PUT /mailboxes/{mailbox}/members',
        needsConfirmation: true,
      },
      cli: {
        command: 'mailbox member set',
        description: 'give the owner of another mailbox access, or change their rights',
        example: `${SAMPLE} ${MEMBER} --access write --sending as`,
        options: {
          ...OPTIONS,
          access: 'read or write',
          sending: 'whether the member may send for the mailbox',
        },
        defaults: { access: 'read', sending: 'none' },
        table: tableOf<MailboxGrant>({ columns: COLUMNS, none: NONE }),
      },
    },
  }),
  unshareMailbox: declare({
    summary: 'Revoke the access of a member',
    query: UnshareMailbox,
    success: {
      status: 204,
      description: 'The access is revoked. Sessions that use it end within two seconds.',
    },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/members',
        resource: { name: 'mailbox', prefix: 'mbx' },
        role: 'admin',
      },
      mail: { id: 'unshareOwnMailbox', route: 'DELETE /mailboxes/{mailbox}/members' },
      cli: {
        command: 'mailbox member remove',
        description: 'revoke the access of a member; sessions that use it end within two seconds',
        example: `${SAMPLE} ${MEMBER}`,
        options: OPTIONS,
        trueMember: 'removed',
        message: 'removed {member}',
        notFoundMessage: 'The mailbox has no such member.',
      },
    },
  }),
};
