import { messageOf } from '../../api/client.ts';
import { api } from '../../api/dashboard.ts';
import { toastFailure } from '../../ui/toast.tsx';

/** Ends the session, and leaves nothing of it in this tab. */
export async function signOut(): Promise<void> {
  try {
    await api.DELETE('/session');
    location.assign('/dashboard/sign-in');
  } catch (error) {
    toastFailure(messageOf(error));
  }
}
