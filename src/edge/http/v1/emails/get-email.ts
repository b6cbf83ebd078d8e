import { setImmediate } from 'node:timers/promises';
import { EmailDetail } from '../../../../contract/emails.ts';
import { Semaphore } from '../../../../concurrency/semaphore.ts';
import { operation } from '../../operation.ts';

/** To write a megabyte as JSON, and to encode it, takes 4 ms. */
const LARGE_LENGTH = 65_536;

/** One large email is written in each turn of the event loop: several at once would keep it from everybody else. */
const turns = new Semaphore(1);

/** docs/contract.md, getEmail. */
export const getEmail = operation({
  method: 'GET',
  path: '/emails/{id}',
  scope: 'emails:read',
  twin: 'getEmailContent',
  summary: 'Fetch an email with its timeline',
  success: { status: 200, description: 'The email.', body: EmailDetail },
  async run({ services, caller, id }) {
    const email = await services.getEmail(caller.projectId, id);
    if (email === null || email.html.length + email.text.length < LARGE_LENGTH) return email;
    return turns.run(async () => {
      await setImmediate();
      return JSON.stringify(email);
    });
  },
});
