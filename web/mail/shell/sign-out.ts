import { messageOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import { toastFailure } from '../../ui/toast.tsx';

/** Ends the session of a mailbox, and leaves nothing of it in this tab. Other mailboxes stay open. */
export async function signOut(mailbox: string): Promise<void> {
  try {
    await api.DELETE('/mailboxes/{mailbox}/session', { params: { path: { mailbox } } });
    for (const key of Object.keys(sessionStorage)) if (key.includes(mailbox)) sessionStorage.removeItem(key);
    location.assign('/mail');
  } catch (error) {
    toastFailure(messageOf(error));
  }
}
