/** The web client in a browser. */
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from '../api/query-client.ts';
import { LastResort } from '../ui/last-resort.tsx';
import { beginTheme } from '../ui/theme.ts';
import { Toasts } from '../ui/toast.tsx';
import { router } from './router.tsx';

// Browsers keep pages that were left as they were: who goes back to one after signing out would see the mail on it.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

beginTheme();
const root = document.getElementById('root');
if (root === null) throw new TypeError('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <LastResort title="The web client broke">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </LastResort>
  </StrictMode>,
);
