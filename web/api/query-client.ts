import { MutationCache, notifyManager, QueryClient } from '@tanstack/react-query';
import { ApiProblem, messageOf } from './client.ts';
import { toastFailure } from '../ui/toast.tsx';

const STALE_MS = 5_000;
const RETRIES = 1;

// Pages must show that a request is pending before the browser handles the next key or click. By default observers are notified in a later
// task. Before that task runs, an Escape would close the dialog that shows a secret once, and a second Enter would send a form twice.
notifyManager.setScheduler(queueMicrotask);

/**
 * The cache of data that pages have loaded. The error from a failed mutation is shown as a toast, unless a form shows
 * field errors or the page shows the error: `meta: { showsErrors: true }`.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      // By default queries wait silently while the browser is offline, so pages would not show an error.
      networkMode: 'always',
      refetchOnReconnect: true,
      // The service would reject a retry with the same client error (4xx).
      retry: (count, error) => count < RETRIES && !(error instanceof ApiProblem && error.status < 500),
    },
    mutations: { networkMode: 'always' },
  },
  mutationCache: new MutationCache({
    onError(error, _variables, _result, { meta }) {
      if (meta?.['showsErrors'] === true) return;
      if (error instanceof ApiProblem && (error.hasFields || error.slug === 'confirmation-required')) return;
      toastFailure(messageOf(error));
    },
  }),
});
