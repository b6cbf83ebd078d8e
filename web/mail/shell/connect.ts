/** What the client tells the shell. */
import { setHandlers } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { forgetDevice } from './device-settings.ts';
import { accountsQuery } from './session.ts';
import { confirmation, isAway } from './state.ts';

let hasOtherPages = false;

/** Whether the server has other pages than these: the next step is a whole load. */
export function isOutdated(): boolean {
  return hasOtherPages;
}

export function connect(): void {
  setHandlers({
    onSignedOut({ mailbox = '' }) {
      // Nothing of it is left in this tab. What asks for it is led to the page for signing in by the shell.
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(mailbox) });
      void forgetDevice(mailbox);
      void queryClient.invalidateQueries(accountsQuery);
    },
    confirm({ mailbox = '' }) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      // Of two at a time both go on by one answer.
      const before = confirmation.get();
      confirmation.set({
        mailbox,
        settle(isConfirmed) {
          before?.settle(isConfirmed);
          resolve(isConfirmed);
        },
      });
      return promise;
    },
    onAway: isAway.set,
    onOtherPages() {
      hasOtherPages = true;
    },
  });
}
