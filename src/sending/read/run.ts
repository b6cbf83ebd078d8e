/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import type { EmailLists } from './email-lists.ts';
import type { EMAIL_OPERATIONS } from './operations.ts';
import { serializeInSlices } from './serialize-in-slices.ts';
import type { SingleEmails } from './single-emails.ts';

/** An email of at least this length counts as large. Serializing and encoding a megabyte of JSON takes 4 ms. */
const LARGE_LENGTH = 65_536;

/** Large emails are serialized one at a time, because the slices of several would block all other requests. */
const lock = new Semaphore(1);

/** The parts of the core that the operations need. */
export interface EmailParts {
  emailLists: Pick<EmailLists, 'list'>;
  singleEmails: Pick<SingleEmails, 'get'>;
}

export const run: Run<typeof EMAIL_OPERATIONS, EmailParts> = {
  listEmails: ({ emailLists }, { projectId, query }) => emailLists.list(projectId, query),
  getEmail: async ({ singleEmails }, { projectId, id }) => {
    const email = await singleEmails.get(projectId, id);
    if (email === null || email.html.length + email.text.length < LARGE_LENGTH) return email;
    return lock.run(() => serializeInSlices(email));
  },
};
