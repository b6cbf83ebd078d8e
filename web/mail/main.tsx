/** Entry point of the web client in the browser. */
import { RouterProvider } from '@tanstack/react-router';
import { start } from '../shell/start.tsx';
import { beginTheme } from '../ui/theme.ts';
import { router } from './router.tsx';
import { listenForInstallOffer } from './shell/install.ts';

// Browsers restore pages from memory: without a reload, going back after signing out would show mail.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

beginTheme();
listenForInstallOffer();
start('Something went wrong', <RouterProvider router={router} />);
