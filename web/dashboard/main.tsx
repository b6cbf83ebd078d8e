/** Entry point of the dashboard in the browser. */
import { RouterProvider } from '@tanstack/react-router';
import { lazy } from 'react';
import { Confirmation } from '../shell/confirmation.tsx';
import { start } from '../shell/start.tsx';
import { router } from './router.tsx';

const ConfirmDialog = lazy(() => import('./shell/confirm-dialog.tsx'));

start(
  'Something went wrong',
  <>
    <RouterProvider router={router} />
    <Confirmation dialog={ConfirmDialog} />
  </>,
);
