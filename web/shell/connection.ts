/** What the calls of an application lead to: whether the server answers, who has to confirm, and which pages are current. */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Handlers, type PathValues, setHandlers } from '../api/client.ts';
import { watched } from '../ui/watched.ts';

/** True while the server does not answer. */
export const isAway = watched(false);

interface Question {
  /** The ids in the path of the call that waits for the answer. */
  path: PathValues;
  finish(isConfirmed: boolean): void;
}

/** The question for a password, a code or a passkey that is open; null: none. */
export const question = watched<Question | null>(null);

let hasOtherPages = false;

/** Handles the answers of all calls. @param own what differs between applications: where a session that has ended leads */
export function connect(own: Pick<Handlers, 'onSignedOut' | 'onWeakSignIn'>): void {
  setHandlers({
    ...own,
    confirm(path) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      // Two calls at a time share one question.
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

/** Loads the next page from the server, once the server has other pages than these. */
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
