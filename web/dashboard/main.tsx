/** Entry point of the dashboard in the browser. */
import { RouterProvider } from '@tanstack/react-router';
import { lazyPart } from '../shell/code.ts';
import { Confirmation } from '../shell/confirmation.tsx';
import { start } from '../shell/start.tsx';
import { router } from './router.tsx';

const ConfirmDialog = lazyPart(() => import('./shell/confirm-dialog.tsx'));

start(
  'Something went wrong',
  <>
    <RouterProvider router={router} />
    <Confirmation dialog={ConfirmDialog} />
  </>,
);
