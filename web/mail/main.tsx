/** The web client in a browser. */
import { RouterProvider } from '@tanstack/react-router';
import { start } from '../shell/start.tsx';
import { beginTheme } from '../ui/theme.ts';
import { router } from './router.tsx';

// Browsers keep pages that were left as they were: who goes back to one after signing out would see the mail on it.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

beginTheme();
start('The web client broke', <RouterProvider router={router} />);
