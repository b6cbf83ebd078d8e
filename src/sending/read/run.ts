/** Implements the operations of `operations.ts`. */
import { setImmediate } from 'node:timers/promises';
import type { Run } from '../../accounts/calls.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import type { EmailLists } from './email-lists.ts';
import type { EMAIL_OPERATIONS } from './operations.ts';
import type { SingleEmails } from './single-emails.ts';

/** To write a megabyte as JSON, and to encode it, takes 4 ms. */
const LARGE_LENGTH = 65_536;

/** One large email is written in each turn of the event loop: several at once would keep it from everybody else. */
const turns = new Semaphore(1);

/** What the operations need of the core. */
export interface EmailParts {
  emailLists: Pick<EmailLists, 'list'>;
  singleEmails: Pick<SingleEmails, 'get'>;
}

export const run: Run<typeof EMAIL_OPERATIONS, EmailParts> = {
  listEmails: ({ emailLists }, { projectId, query }) => emailLists.list(projectId, query),
  getEmail: async ({ singleEmails }, { projectId, id }) => {
    const email = await singleEmails.get(projectId, id);
    if (email === null || email.html.length + email.text.length < LARGE_LENGTH) return email;
    return turns.run(async () => {
      await setImmediate();
      return JSON.stringify(email);
    });
  },
};
