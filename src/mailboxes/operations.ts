/** Operations on mailboxes and aliases. `run.ts` implements them. */
import { Alias, AliasList, CreateAlias, UpdateAlias } from '../contract/aliases.ts';
import { DashboardAliasList } from '../contract/dashboard/aliases.ts';
import {
  ChangeMailbox,
  DashboardMailbox,
  DashboardMailboxPage,
  DashboardMailboxQuery,
  MailboxPassword,
  SetMailboxPassword,
  UnlockedMailbox,
} from '../contract/dashboard/mailboxes.ts';
import { CreateMailbox, CreatedMailbox, Mailbox, MailboxList, UpdateMailbox } from '../contract/mailboxes.ts';
import { declare } from '../contract/operation.ts';

export const MAILBOX_OPERATIONS = {
  listMailboxes: declare({
    summary: 'List mailboxes, oldest first',
    success: { status: 200, description: 'All mailboxes of the project.', body: MailboxList },
    doors: {
      api: { route: 'GET /mailboxes', scope: 'mailboxes:read', twin: 'listMailboxes' },
    },
  }),
  listMailboxPage: declare({
    summary: 'List the mailboxes of a project',
    query: DashboardMailboxQuery,
    success: { status: 200, description: 'A page of mailboxes.', body: DashboardMailboxPage },
    doors: {
      dashboard: { id: 'listMailboxes', route: 'GET /projects/{project}/mailboxes', role: 'viewer' },
    },
  }),
  createMailbox: declare({
    summary: 'Create a mailbox',
    body: CreateMailbox,
    success: { status: 201, description: 'The mailbox.', body: CreatedMailbox },
    errors: ['already-exists', 'plan-limit-exceeded'],
    doors: {
      api: {
        route: 'POST /mailboxes',
        scope: 'mailboxes:write',
        description:
          'The domain must be one of the project; it need not be verified. The mailbox also gets an entry in the directory.',
      },
      dashboard: {
        route: 'POST /projects/{project}/mailboxes',
        needsConfirmation: true,
        // Attack: a developer creates a catch-all to read mail to addresses that do not exist yet, such as sign-up links.
        elevated: {
          role: 'admin',
          field: 'is_catch_all',
          by: ({ is_catch_all: isCatchAll }) => isCatchAll === true,
        },
        role: 'developer',
        summary: 'Create a mailbox',
        description: 'A generated password is returned only in this response.',
      },
    },
  }),
  getMailbox: declare({
    summary: 'Fetch a mailbox',
    success: { status: 200, description: 'The mailbox.', body: Mailbox },
    doors: {
      api: { route: 'GET /mailboxes/{id}', scope: 'mailboxes:read', twin: 'getMailbox' },
    },
  }),
  getMailboxDetails: declare({
    summary: 'Get a mailbox with its settings and storage',
    success: { status: 200, description: 'The mailbox.', body: DashboardMailbox },
    doors: {
      dashboard: {
        id: 'getMailbox',
        route: 'GET /projects/{project}/mailboxes/{id}',
        role: 'viewer',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
  updateMailbox: declare({
    summary: 'Change a mailbox',
    description: 'The address and the password cannot be changed here. Without a body nothing changes.',
    body: UpdateMailbox,
    success: { status: 200, description: 'The changed mailbox.', body: Mailbox },
    doors: {
      api: { route: 'PATCH /mailboxes/{id}', scope: 'mailboxes:write', twin: 'updateMailbox' },
    },
  }),
  changeMailbox: declare({
    summary: 'Change the settings of a mailbox',
    body: ChangeMailbox,
    success: { status: 200, description: 'The mailbox.', body: DashboardMailbox },
    doors: {
      dashboard: {
        id: 'updateMailbox',
        route: 'PATCH /projects/{project}/mailboxes/{id}',
        // Attack: see `createMailbox`.
        elevated: { role: 'admin', field: 'is_catch_all', by: (body) => body['is_catch_all'] !== undefined },
        role: 'developer',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
  deleteMailbox: declare({
    summary: 'Delete a mailbox',
    success: { status: 204, description: 'Deleted.' },
    doors: {
      api: {
        route: 'DELETE /mailboxes/{id}',
        scope: 'mailboxes:write',
        description: 'Also deletes the mail, the sign-in and the directory entry of the mailbox.',
      },
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}',
        needsConfirmation: true,
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
        summary: 'Delete a mailbox with its mail',
        success: 'The mailbox is deleted.',
      },
    },
  }),
  setMailboxPassword: declare({
    summary: 'Set the password of a mailbox',
    description:
      'Sessions that used the old password end within two seconds. A generated password is returned only in this response.',
    body: SetMailboxPassword,
    success: { status: 200, description: 'The password is set.', body: MailboxPassword },
    doors: {
      dashboard: {
        route: 'PUT /projects/{project}/mailboxes/{id}/password',
        needsConfirmation: true,
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
  unlockMailbox: declare({
    summary: 'Unlock a mailbox',
    description: 'Resets the count of wrong passwords, and allows the mailbox to send again.',
    success: { status: 200, description: 'The mailbox is unlocked.', body: UnlockedMailbox },
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/mailboxes/{id}/unlock',
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
  listAliases: declare({
    summary: 'List aliases, oldest first',
    description: 'Addition to contract 0.3.0.',
    success: { status: 200, description: 'All aliases of the project.', body: AliasList },
    doors: {
      api: { route: 'GET /aliases', scope: 'mailboxes:read', twin: 'listAliases' },
    },
  }),
  listAliasesWithMailboxes: declare({
    summary: 'List the aliases of a project',
    success: { status: 200, description: 'The aliases.', body: DashboardAliasList },
    doors: {
      dashboard: { id: 'listAliases', route: 'GET /projects/{project}/aliases', role: 'viewer' },
    },
  }),
  createAlias: declare({
    summary: 'Create an alias',
    body: CreateAlias,
    success: { status: 201, description: 'The alias.', body: Alias },
    errors: ['already-exists', 'plan-limit-exceeded'],
    doors: {
      api: {
        route: 'POST /aliases',
        scope: 'mailboxes:write',
        description:
          'Addition to contract 0.3.0. The domain must be one of the project; it need not be verified. The mailboxes may be on other domains.',
      },
      dashboard: {
        route: 'POST /projects/{project}/aliases',
        needsConfirmation: true,
        role: 'admin',
        summary: 'Create an alias',
      },
    },
  }),
  getAlias: declare({
    summary: 'Fetch an alias',
    description: 'Addition to contract 0.3.0.',
    success: { status: 200, description: 'The alias.', body: Alias },
    doors: {
      api: { route: 'GET /aliases/{id}', scope: 'mailboxes:read', twin: 'listAliases' },
    },
  }),
  updateAlias: declare({
    summary: 'Change the mailboxes of an alias',
    body: UpdateAlias,
    success: { status: 200, description: 'The changed alias.', body: Alias },
    doors: {
      api: {
        route: 'PATCH /aliases/{id}',
        scope: 'mailboxes:write',
        description:
          'Addition to contract 0.3.0. The address cannot be changed. Without a body nothing changes.',
      },
      dashboard: {
        route: 'PATCH /projects/{project}/aliases/{id}',
        needsConfirmation: true,
        role: 'admin',
        resource: { name: 'alias', prefix: 'als' },
        success: 'The changed alias.',
      },
    },
  }),
  deleteAlias: declare({
    summary: 'Delete an alias',
    success: { status: 204, description: 'Deleted.' },
    doors: {
      api: {
        route: 'DELETE /aliases/{id}',
        scope: 'mailboxes:write',
        description:
          'Addition to contract 0.3.0. The mailboxes of the alias keep the mail that they received through it.',
      },
      dashboard: {
        route: 'DELETE /projects/{project}/aliases/{id}',
        needsConfirmation: true,
        role: 'admin',
        resource: { name: 'alias', prefix: 'als' },
        success: 'The alias is deleted.',
      },
    },
  }),
};
