import { messageOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import { toastFailure } from '../../ui/toast.tsx';
import { forgetDevice } from './device-settings.ts';

/** Ends the session of a mailbox, and leaves nothing of it in this tab. Other mailboxes stay open. */
export async function signOut(mailbox: string): Promise<void> {
  try {
    await api.DELETE('/mailboxes/{mailbox}/session', { params: { path: { mailbox } } });
    await forgetDevice(mailbox);
    location.assign('/mail');
  } catch (error) {
    toastFailure(messageOf(error));
  }
}
