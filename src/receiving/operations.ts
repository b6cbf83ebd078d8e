/** Operations on rules, blocked senders, vacation and forwarding of a mailbox. `run.ts` implements them. */
import { BlockedSenderList, Forwarding, RuleList, Vacation } from '../contract/mail/filing.ts';
import {
  AddMailboxRule,
  BlockSender,
  BlockedSenderQuery,
  ChangeMailboxRule,
  MailboxFiling,
  MailboxForwarding,
  MailboxRule,
  MailboxVacation,
  RuleWords,
} from '../contract/mailbox-filing.ts';
import { declare } from '../contract/operation.ts';

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
};
