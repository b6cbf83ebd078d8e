/** What the client tells the shell. */
import { setHandlers } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { confirmation, isAway } from './state.ts';

interface Navigation {
  /** Leads to the page where people sign in, and from there back to where they were. */
  toSignIn(): void;
}

let hasOtherPages = false;

/** Whether the server has other pages than these: the next step is a whole load. */
export function isOutdated(): boolean {
  return hasOtherPages;
}

export function connect({ toSignIn }: Navigation): void {
  setHandlers({
    onSignedOut() {
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      toSignIn();
    },
    // The session says what is shut now, and the shell leads to the set-up.
    onWeakSignIn: () => void queryClient.invalidateQueries({ queryKey: ['session'] }),
    confirm() {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      // Of two at a time both go on by one answer.
      const before = confirmation.get();
      confirmation.set((isConfirmed) => {
        before?.(isConfirmed);
        resolve(isConfirmed);
      });
      return promise;
    },
    onAway: isAway.set,
    onOtherPages() {
      hasOtherPages = true;
    },
  });
}
