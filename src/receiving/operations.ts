/** Operations on rules, blocked senders, vacation and forwarding of a mailbox. `run.ts` implements them. */
import { BlockedSenderList, Forwarding, RuleList, Vacation } from '../contract/mail/filing.ts';
import {
  AddMailboxRule,
  AddSafeSender,
  BlockSender,
  BlockedSenderQuery,
  ChangeMailboxRule,
  MailboxFiling,
  MailboxForwarding,
  MailboxRule,
  MailboxVacation,
  RuleWords,
  SafeSenderList,
  SafeSenderQuery,
} from '../contract/mailbox-filing.ts';
import { declare, tableOf } from '../contract/operation.ts';

const SAFE_SENDERS = tableOf<SafeSenderList['data'][number]>({
  columns: [
    { title: 'AGE', cell: 'created_at' },
    { title: 'SENDER', cell: 'sender', isCut: true },
  ],
  none: 'There are no safe senders.',
});

export const FILTER_OPERATIONS = {
  getMailboxFiling: declare({
    summary: 'Get the rules, blocked senders, vacation reply and forwarding of a mailbox',
    success: { status: 200, description: "The mailbox's filters.", body: MailboxFiling },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/mailboxes/{id}/filing',
        role: 'developer',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
  listRules: declare({
    summary: 'List the rules',
    success: { status: 200, description: 'The rules, in the order in which they run.', body: RuleList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/rules' },
    },
  }),
  addRule: declare({
    summary: 'Add a rule',
    description: 'The rule may forward mail.',
    body: AddMailboxRule,
    success: { status: 201, description: 'The rule.', body: MailboxRule },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/rules', needsConfirmation: true },
      dashboard: {
        id: 'addMailboxRule',
        route: 'POST /projects/{project}/mailboxes/{id}/rules',
        role: 'admin',
        needsConfirmation: true,
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
  replaceRule: declare({
    summary: 'Replace a rule',
    description: 'The rule keeps its id and its position, and stays turned on or off.',
    body: RuleWords,
    success: { status: 200, description: 'The rule.', body: MailboxRule },
    doors: {
      mail: {
        route: 'PUT /mailboxes/{mailbox}/rules/{id}',
        needsConfirmation: true,
        resource: { name: 'rule', prefix: 'rule' },
      },
    },
  }),
  changeRule: declare({
    summary: 'Move a rule, or turn it on or off',
    body: ChangeMailboxRule,
    success: { status: 204, description: 'The rule is changed.' },
    doors: {
      mail: { route: 'PATCH /mailboxes/{mailbox}/rules/{id}', resource: { name: 'rule', prefix: 'rule' } },
    },
  }),
  changeMailboxRule: declare({
    summary: 'Move a rule, or turn it on or off',
    body: ChangeMailboxRule,
    success: { status: 204, description: 'The rule is changed.' },
    doors: {
      dashboard: {
        route: 'PATCH /projects/{project}/mailboxes/{id}/rules/{part}',
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
        part: { name: 'rule', prefix: 'rule' },
      },
    },
  }),
  removeRule: declare({
    summary: 'Remove a rule',
    success: { status: 204, description: 'The rule is removed.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/rules/{id}', resource: { name: 'rule', prefix: 'rule' } },
    },
  }),
  removeMailboxRule: declare({
    summary: 'Remove a rule',
    success: { status: 204, description: 'The rule is removed.' },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/rules/{part}',
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
        part: { name: 'rule', prefix: 'rule' },
      },
      cli: {
        command: 'mailbox rule remove',
        description: 'remove a rule',
        example: '--project default --address sales@acme.example --id rule_...',
        options: { project: 'the project of the mailbox', id: 'the id of the rule: rule_...' },
        trueMember: 'removed',
        message: 'removed {id}',
      },
    },
  }),
  getVacation: declare({
    summary: 'Get the vacation reply',
    success: { status: 200, description: 'The vacation reply.', body: Vacation },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/vacation' },
    },
  }),
  setVacation: declare({
    summary: 'Turn on the vacation reply',
    body: MailboxVacation,
    success: {
      status: 204,
      description: 'The vacation reply is on. Senders who already got a reply get this one too.',
    },
    doors: {
      mail: { route: 'PUT /mailboxes/{mailbox}/vacation' },
      dashboard: {
        route: 'PUT /projects/{project}/mailboxes/{id}/vacation',
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
  endVacation: declare({
    summary: 'Turn off the vacation reply',
    success: { status: 204, description: 'The vacation reply is off.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/vacation' },
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/vacation',
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
  getForwarding: declare({
    summary: 'Get the forwarding settings',
    success: {
      status: 200,
      description: 'The forwarding target, and the targets whose last delivery failed.',
      body: Forwarding,
    },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/forwarding' },
    },
  }),
  setForwarding: declare({
    summary: 'Forward new mail',
    body: MailboxForwarding,
    success: { status: 204, description: 'New mail is forwarded.' },
    doors: {
      mail: { route: 'PUT /mailboxes/{mailbox}/forwarding', needsConfirmation: true },
      dashboard: {
        route: 'PUT /projects/{project}/mailboxes/{id}/forwarding',
        role: 'admin',
        needsConfirmation: true,
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
  endForwarding: declare({
    summary: 'Stop forwarding',
    description: 'Rules that forward mail stay on.',
    success: { status: 204, description: 'New mail stays in the mailbox.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/forwarding', needsConfirmation: true },
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/forwarding',
        role: 'admin',
        needsConfirmation: true,
        resource: { name: 'mailbox', prefix: 'mbx' },
        success: 'Forwarding is off.',
      },
    },
  }),
  listBlockedSenders: declare({
    summary: 'List the blocked senders',
    success: { status: 200, description: 'Addresses and domains.', body: BlockedSenderList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/blocked' },
    },
  }),
  blockSender: declare({
    summary: 'Block a sender',
    body: BlockSender,
    success: { status: 204, description: 'The sender is blocked.' },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/blocked' },
      dashboard: {
        route: 'POST /projects/{project}/mailboxes/{id}/blocked',
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
        summary: 'Block a sender',
        success: 'The sender is blocked.',
      },
    },
  }),
  unblockSender: declare({
    summary: 'Unblock a sender',
    query: BlockedSenderQuery,
    success: { status: 204, description: 'The sender is unblocked.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/blocked', errors: ['not-found'] },
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/blocked',
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
        summary: 'Unblock a sender',
        success: 'The sender is unblocked.',
      },
    },
  }),
  listSafeSenders: declare({
    summary: 'List the safe senders of a mailbox',
    success: { status: 200, description: 'Addresses and domains.', body: SafeSenderList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/safe' },
      dashboard: {
        route: 'GET /projects/{project}/mailboxes/{id}/safe',
        role: 'developer',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
      cli: {
        command: 'mailbox safe list',
        description: 'list the safe senders of a mailbox',
        example: '--project default --address sales@acme.example',
        table: SAFE_SENDERS,
      },
    },
  }),
  addSafeSender: declare({
    summary: 'Add a safe sender to a mailbox',
    description: 'Mail that is proven to be by this sender does not go to Junk.',
    body: AddSafeSender,
    success: { status: 204, description: 'The sender is safe.' },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/safe' },
      dashboard: {
        route: 'POST /projects/{project}/mailboxes/{id}/safe',
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
      cli: {
        command: 'mailbox safe add',
        description: 'add a safe sender: an address, or a domain and its subdomains',
        example: '--project default --address sales@acme.example --sender shop.example',
        options: { sender: 'an address or a domain' },
        trueMember: 'safe',
        message: '{sender} is a safe sender',
      },
    },
  }),
  removeSafeSender: declare({
    summary: 'Remove a safe sender from a mailbox',
    query: SafeSenderQuery,
    success: { status: 204, description: 'The sender is no longer safe.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/safe', errors: ['not-found'] },
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/safe',
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
      cli: {
        command: 'mailbox safe remove',
        description: 'remove a safe sender',
        example: '--project default --address sales@acme.example --sender shop.example',
        options: { sender: 'an address or a domain' },
        trueMember: 'removed',
        message: 'removed {sender}',
      },
    },
  }),
  listSafeSendersOfProject: declare({
    summary: 'List the safe senders of all mailboxes of a project',
    success: { status: 200, description: 'Addresses and domains.', body: SafeSenderList },
    doors: {
      dashboard: { route: 'GET /projects/{project}/safe-senders', role: 'developer' },
      cli: {
        command: 'project safe list',
        description: 'list the safe senders of all mailboxes of a project',
        example: '--project default',
        table: SAFE_SENDERS,
      },
    },
  }),
  addSafeSenderOfProject: declare({
    summary: 'Add a safe sender to all mailboxes of a project',
    description: 'Mail that is proven to be by this sender does not go to Junk.',
    body: AddSafeSender,
    success: { status: 204, description: 'The sender is safe.' },
    doors: {
      dashboard: { route: 'POST /projects/{project}/safe-senders', role: 'admin' },
      cli: {
        command: 'project safe add',
        description: 'add a safe sender: an address, or a domain and its subdomains',
        example: '--project default --sender shop.example',
        options: { sender: 'an address or a domain' },
        trueMember: 'safe',
        message: '{sender} is a safe sender',
      },
    },
  }),
  removeSafeSenderOfProject: declare({
    summary: 'Remove a safe sender from all mailboxes of a project',
    query: SafeSenderQuery,
    success: { status: 204, description: 'The sender is no longer safe.' },
    errors: ['not-found'],
    doors: {
      dashboard: { route: 'DELETE /projects/{project}/safe-senders', role: 'admin' },
      cli: {
        command: 'project safe remove',
        description: 'remove a safe sender',
        example: '--project default --sender shop.example',
        options: { sender: 'an address or a domain' },
        trueMember: 'removed',
        message: 'removed {sender}',
      },
    },
  }),
};
