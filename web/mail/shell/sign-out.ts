import { messageOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import { toastFailure } from '../../ui/toast.tsx';
import { forgetDevice } from './device-settings.ts';

/** Ends the session of a mailbox, and leaves nothing of it in this tab. Other mailboxes stay open. */
export async function signOut(mailbox: string): Promise<void> {
  // Whatever comes of it: who signs out wants nothing of it to stay here, also where there is no connection.
  await forgetDevice(mailbox).catch(() => undefined);
  try {
    await api.DELETE('/mailboxes/{mailbox}/session', { params: { path: { mailbox } } });
    location.assign('/mail');
  } catch (error) {
    toastFailure(messageOf(error));
  }
}
