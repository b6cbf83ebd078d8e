/** What is set for a mailbox on this device alone. Off until somebody switches it on, and forgotten when the mailbox is signed out of. */
import { watched } from '../../ui/watched.ts';

/** `bare`: that there is mail; `content`: who writes, and the subject. */
export type Notify = 'off' | 'bare' | 'content';

const notifyKey = (mailbox: string) => `posthorn-notify-${mailbox}`;
const offlineKey = (mailbox: string) => `posthorn-offline-${mailbox}`;
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

/** Whether a copy of the newest conversations is kept here, to be read without a connection. */
export function isOffline(mailbox: string): boolean {
  return localStorage.getItem(offlineKey(mailbox)) === 'on';
}

export function setOffline(mailbox: string, isOn: boolean): void {
  if (isOn) localStorage.setItem(offlineKey(mailbox), 'on');
  else localStorage.removeItem(offlineKey(mailbox));
  changes.set(changes.get() + 1);
}

/** The session has ended: nothing of the mailbox stays here. */
export async function forgetDevice(mailbox: string): Promise<void> {
  const hadCopy = isOffline(mailbox);
  for (const kept of [localStorage, sessionStorage])
    for (const key of Object.keys(kept)) if (key.includes(mailbox)) kept.removeItem(key);
  changes.set(changes.get() + 1);
  if (hadCopy) await (await import('../offline/drop-copy.ts')).dropCopy(mailbox);
}
