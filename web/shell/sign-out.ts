import { messageOf } from '../api/client.ts';
import { toastFailure } from '../ui/toast.tsx';

/**
 * Ends a session and removes its data from this tab.
 * @param end the call that ends the session
 * @param next the page to load afterwards
 */
export async function endSession(end: () => Promise<unknown>, next: string): Promise<void> {
  try {
    await end();
    location.assign(next);
  } catch (error) {
    toastFailure(messageOf(error));
  }
}
