/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import type { Database } from '../db/database.ts';
import { type FilterSettings, shownSender } from './filter-settings.ts';
import type { FILTER_OPERATIONS } from './operations.ts';
import {
  addSafeSenderOfProject,
  listSafeSendersOfProject,
  removeSafeSenderOfProject,
} from './rules/sender-lists.ts';

/** The parts of the core that the operations need. */
export interface FilterParts {
  database: Database;
  filterSettings: FilterSettings;
}

export const run: Run<typeof FILTER_OPERATIONS, FilterParts> = {
  getMailboxFiling: ({ filterSettings }, { projectId, id }) =>
    filterSettings.read({ projectId, mailboxId: id }),
  listRules: async ({ filterSettings }, { mailbox }) => {
    const found = await filterSettings.read(mailbox);
    return found && { data: found.rules };
  },
  addRule: ({ filterSettings }, { mailbox, body }) => filterSettings.addRule(mailbox, body),
  replaceRule: ({ filterSettings }, { mailbox, id, body }) => filterSettings.replaceRule(mailbox, id, body),
  changeRule: ({ filterSettings }, { mailbox, id, body }) => filterSettings.changeRule(mailbox, id, body),
  changeMailboxRule: ({ filterSettings }, { projectId, id, partId, body }) =>
    filterSettings.changeRule({ projectId, mailboxId: id }, partId, body),
  removeRule: ({ filterSettings }, { mailbox, id }) => filterSettings.removeRule(mailbox, id),
  removeMailboxRule: ({ filterSettings }, { projectId, id, partId }) =>
    filterSettings.removeRule({ projectId, mailboxId: id }, partId),
  getVacation: async ({ filterSettings }, { mailbox }) => {
    const found = await filterSettings.read(mailbox);
    return found && { vacation: found.vacation };
  },
  setVacation: ({ filterSettings }, { mailbox, body }) => filterSettings.setVacation(mailbox, body),
  endVacation: ({ filterSettings }, { mailbox }) => filterSettings.endVacation(mailbox),
  getForwarding: async ({ filterSettings }, { mailbox }) => {
    const found = await filterSettings.read(mailbox);
    return found && { forwarding: found.forwarding, failing: found.failing };
  },
  setForwarding: ({ filterSettings }, { mailbox, body }) => filterSettings.setForwarding(mailbox, body),
  endForwarding: ({ filterSettings }, { mailbox }) => filterSettings.endForwarding(mailbox),
  listBlockedSenders: async ({ filterSettings }, { mailbox }) => {
    const found = await filterSettings.read(mailbox);
    return found && { data: found.blocked };
  },
  blockSender: ({ filterSettings }, { mailbox, body }) =>
    filterSettings.addSender(mailbox, 'blocked', body.sender),
  unblockSender: ({ filterSettings }, { mailbox, query }) =>
    filterSettings.removeSender(mailbox, 'blocked', query.sender),
  listSafeSenders: async ({ filterSettings }, { mailbox }) => {
    const found = await filterSettings.read(mailbox);
    return found && { data: found.safe };
  },
  addSafeSender: ({ filterSettings }, { mailbox, body }) =>
    filterSettings.addSender(mailbox, 'safe', body.sender),
  removeSafeSender: ({ filterSettings }, { mailbox, query }) =>
    filterSettings.removeSender(mailbox, 'safe', query.sender),
  listSafeSendersOfProject: async ({ database }, { projectId }) => ({
    data: (await listSafeSendersOfProject(database, projectId)).map(shownSender),
  }),
  addSafeSenderOfProject: async ({ database }, { projectId, body }) => {
    await addSafeSenderOfProject(database, projectId, body.sender);
    return true;
  },
  removeSafeSenderOfProject: async ({ database }, { projectId, query }) => {
    await removeSafeSenderOfProject(database, projectId, query.sender);
    return true;
  },
};
