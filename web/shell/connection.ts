/**
 * State that results from an application's calls: whether the server responds, whether the user must confirm their
 * identity for a call, and whether the pages are current.
 */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Handlers, type PathValues, setHandlers } from '../api/client.ts';
import { watched } from '../ui/watched.ts';

/** True while the server does not respond. */
export const isAway = watched(false);

interface Question {
  /** The ids in the path of the call that waits for the confirmation. */
  path: PathValues;
  finish(isConfirmed: boolean): void;
}

/** The open question for a password, code or passkey; null if no question is open. */
export const question = watched<Question | null>(null);

let hasOtherPages = false;

/**
 * Handles the responses to all calls. @param own the handlers that differ between applications, such as the handler for
 * the end of the session
 */
export function connect(own: Pick<Handlers, 'onSignedOut' | 'onWeakSignIn'>): void {
  setHandlers({
    ...own,
    confirm(path) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      // Concurrent calls share one question.
      const before = question.get();
      question.set({
        path,
        finish(isConfirmed) {
          before?.finish(isConfirmed);
          resolve(isConfirmed);
          question.set(null);
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

/** Loads the next page from the server if the server has a newer release of the pages. */
export function useCurrentPages(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ toLocation, pathChanged }) => {
        if (pathChanged && hasOtherPages) location.assign(toLocation.publicHref);
      }),
    [router],
  );
}
