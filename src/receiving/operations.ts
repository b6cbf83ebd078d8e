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
    summary: 'Rules, blocked senders, vacation and forwarding of a mailbox',
    success: { status: 200, description: 'What becomes of its mail.', body: MailboxFiling },
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
    success: { status: 200, description: 'The rules, in their order.', body: RuleList },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/rules' },
    },
  }),
  addRule: declare({
    summary: 'Add a rule',
    description: 'It may forward mail.',
    body: AddMailboxRule,
    success: { status: 201, description: 'The rule.', body: MailboxRule },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/rules', confirms: true },
      dashboard: {
        id: 'addMailboxRule',
        route: 'POST /projects/{project}/mailboxes/{id}/rules',
        role: 'admin',
        confirms: true,
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
  replaceRule: declare({
    summary: 'Put another rule in the place of one',
    description: 'It keeps its id, its position and whether it is switched on.',
    body: RuleWords,
    success: { status: 200, description: 'The rule.', body: MailboxRule },
    doors: {
      mail: {
        route: 'PUT /mailboxes/{mailbox}/rules/{id}',
        confirms: true,
        resource: { name: 'rule', prefix: 'rule' },
      },
    },
  }),
  changeRule: declare({
    summary: 'Move a rule, or switch it on or off',
    body: ChangeMailboxRule,
    success: { status: 204, description: 'It is changed.' },
    doors: {
      mail: { route: 'PATCH /mailboxes/{mailbox}/rules/{id}', resource: { name: 'rule', prefix: 'rule' } },
    },
  }),
  changeMailboxRule: declare({
    summary: 'Move a rule, or switch it on or off',
    body: ChangeMailboxRule,
    success: { status: 204, description: 'It is changed.' },
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
    success: { status: 204, description: 'It is removed.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/rules/{id}', resource: { name: 'rule', prefix: 'rule' } },
    },
  }),
  removeMailboxRule: declare({
    summary: 'Remove a rule',
    success: { status: 204, description: 'It is removed.' },
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
        options: { project: 'the project of the mailbox', id: 'its id: rule_...' },
        done: 'removed',
        says: 'removed {id}',
      },
    },
  }),
  getVacation: declare({
    summary: 'What people are answered while the owner is away',
    success: { status: 200, description: 'The answer.', body: Vacation },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/vacation' },
    },
  }),
  setVacation: declare({
    summary: 'Answer people who write while the owner is away',
    body: MailboxVacation,
    success: { status: 204, description: 'It is set; senders who had an answer before get this one too.' },
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
    summary: 'Answer nobody any more',
    success: { status: 204, description: 'Nobody is answered.' },
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
    summary: 'Where mail goes on to, and what became of that',
    success: {
      status: 200,
      description: 'The target, and those that refuse what they get.',
      body: Forwarding,
    },
    doors: {
      mail: { route: 'GET /mailboxes/{mailbox}/forwarding' },
    },
  }),
  setForwarding: declare({
    summary: 'Forward what comes from now on',
    body: MailboxForwarding,
    success: { status: 204, description: 'It is forwarded.' },
    doors: {
      mail: { route: 'PUT /mailboxes/{mailbox}/forwarding', confirms: true },
      dashboard: {
        route: 'PUT /projects/{project}/mailboxes/{id}/forwarding',
        role: 'admin',
        confirms: true,
        resource: { name: 'mailbox', prefix: 'mbx' },
      },
    },
  }),
  endForwarding: declare({
    summary: 'Forward nothing any more, but what rules forward',
    success: { status: 204, description: 'Mail stays in the mailbox.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/forwarding', confirms: true },
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/forwarding',
        role: 'admin',
        confirms: true,
        resource: { name: 'mailbox', prefix: 'mbx' },
        success: 'Nothing is forwarded.',
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
    summary: 'Take nothing from a sender',
    body: BlockSender,
    success: { status: 204, description: 'What comes from there is refused.' },
    doors: {
      mail: { route: 'POST /mailboxes/{mailbox}/blocked' },
      dashboard: {
        route: 'POST /projects/{project}/mailboxes/{id}/blocked',
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
        summary: 'Refuse mail of a sender',
        success: 'The sender is blocked.',
      },
    },
  }),
  unblockSender: declare({
    summary: 'Take mail from a sender again',
    query: BlockedSenderQuery,
    success: { status: 204, description: 'What comes from there is taken.' },
    doors: {
      mail: { route: 'DELETE /mailboxes/{mailbox}/blocked', errors: ['not-found'] },
      dashboard: {
        route: 'DELETE /projects/{project}/mailboxes/{id}/blocked',
        role: 'admin',
        resource: { name: 'mailbox', prefix: 'mbx' },
        summary: 'Take mail of a sender again',
        success: 'The sender is not blocked any more.',
      },
    },
  }),
};
