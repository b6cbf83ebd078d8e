/** What is set for a mailbox on this device alone. Off until somebody switches it on, and forgotten when the mailbox is signed out of. */
import { watched } from '../../ui/watched.ts';

/** `bare`: that there is mail; `content`: who writes, and the subject. */
export type Notify = 'off' | 'bare' | 'content';

const notifyKey = (mailbox: string) => `posthorn-notify-${mailbox}`;
const changes = watched(0);

/** For `useWatched`: another number after each change. */
export const deviceSettings = changes;

export function notifyOf(mailbox: string): Notify {
  const kept = localStorage.getItem(notifyKey(mailbox));
  return kept === 'bare' || kept === 'content' ? kept : 'off';
}

export function setNotify(mailbox: string, notify: Notify): void {
  if (notify === 'off') localStorage.removeItem(notifyKey(mailbox));
  else localStorage.setItem(notifyKey(mailbox), notify);
  changes.set(changes.get() + 1);
}

export function forgetDevice(mailbox: string): void {
  for (const key of Object.keys(localStorage)) if (key.includes(mailbox)) localStorage.removeItem(key);
  changes.set(changes.get() + 1);
}
