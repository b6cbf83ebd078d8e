/** The dashboard in a browser. */
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Toasts } from '../ui/toast.tsx';
import { queryClient } from '../api/query-client.ts';
import { router } from './router.tsx';
import { Confirmation } from './shell/confirmation.tsx';
import { LastResort } from '../ui/last-resort.tsx';

const root = document.getElementById('root');
if (root === null) throw new TypeError('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <LastResort title="The dashboard broke">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Confirmation />
        <Toasts />
      </QueryClientProvider>
    </LastResort>
  </StrictMode>,
);
