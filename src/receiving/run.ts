/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import type { FilterSettings } from './filter-settings.ts';
import type { FILTER_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface FilterParts {
  filing: FilterSettings;
}

export const run: Run<typeof FILTER_OPERATIONS, FilterParts> = {
  getMailboxFiling: ({ filing }, { projectId, id }) => filing.read({ projectId, mailboxId: id }),
  listRules: async ({ filing }, { mailbox }) => {
    const found = await filing.read(mailbox);
    return found && { data: found.rules };
  },
  addRule: ({ filing }, { mailbox, body }) => filing.addRule(mailbox, body),
  replaceRule: ({ filing }, { mailbox, id, body }) => filing.replaceRule(mailbox, id, body),
  changeRule: ({ filing }, { mailbox, id, body }) => filing.changeRule(mailbox, id, body),
  changeMailboxRule: ({ filing }, { projectId, id, partId, body }) =>
    filing.changeRule({ projectId, mailboxId: id }, partId, body),
  removeRule: ({ filing }, { mailbox, id }) => filing.removeRule(mailbox, id),
  removeMailboxRule: ({ filing }, { projectId, id, partId }) =>
    filing.removeRule({ projectId, mailboxId: id }, partId),
  getVacation: async ({ filing }, { mailbox }) => {
    const found = await filing.read(mailbox);
    return found && { vacation: found.vacation };
  },
  setVacation: ({ filing }, { mailbox, body }) => filing.setVacation(mailbox, body),
  endVacation: ({ filing }, { mailbox }) => filing.endVacation(mailbox),
  getForwarding: async ({ filing }, { mailbox }) => {
    const found = await filing.read(mailbox);
    return found && { forwarding: found.forwarding, failing: found.failing };
  },
  setForwarding: ({ filing }, { mailbox, body }) => filing.setForwarding(mailbox, body),
  endForwarding: ({ filing }, { mailbox }) => filing.endForwarding(mailbox),
  listBlockedSenders: async ({ filing }, { mailbox }) => {
    const found = await filing.read(mailbox);
    return found && { data: found.blocked };
  },
  blockSender: ({ filing }, { mailbox, body }) => filing.block(mailbox, body.sender),
  unblockSender: ({ filing }, { mailbox, query }) => filing.unblock(mailbox, query.sender),
};
