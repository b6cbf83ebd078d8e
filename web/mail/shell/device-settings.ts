/** Settings for a mailbox on this device only. All are off by default and deleted when the user signs out of the mailbox. */
import { watched } from '../../ui/watched.ts';

/** The content of notifications: `bare` says only that there is new mail; `content` shows the sender and subject. */
export type Notify = 'off' | 'bare' | 'content';

const notifyKey = (mailbox: string) => `posthorn-notify-${mailbox}`;
const offlineKey = (mailbox: string) => `posthorn-offline-${mailbox}`;
const changes = watched(0);

/** A counter for `useWatched`. The counter increases whenever a setting changes. */
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

const queuedKey = (mailbox: string) => `posthorn-queued-${mailbox}`;

/** How many messages and actions wait on this device for a connection (`outbox/store.ts`). */
export interface Queued {
  sends: number;
  actions: number;
}

export function queuedOf(mailbox: string): Queued {
  return JSON.parse(localStorage.getItem(queuedKey(mailbox)) ?? '{"sends":0,"actions":0}') as Queued;
}

export function setQueued(mailbox: string, queued: Queued): void {
  if (queued.sends + queued.actions === 0) localStorage.removeItem(queuedKey(mailbox));
  else localStorage.setItem(queuedKey(mailbox), JSON.stringify(queued));
  changes.set(changes.get() + 1);
}

const pushPrefix = 'posthorn-push-';

/** Whether this browser is subscribed to notifications of the mailbox, which arrive also while no page is open. */
export function isPushed(mailbox: string): boolean {
  return localStorage.getItem(pushPrefix + mailbox) === 'on';
}

export function isAnyPushed(): boolean {
  return Object.keys(localStorage).some((key) => key.startsWith(pushPrefix));
}

export function setPushed(mailbox: string, isOn: boolean): void {
  if (isOn) localStorage.setItem(pushPrefix + mailbox, 'on');
  else localStorage.removeItem(pushPrefix + mailbox);
  changes.set(changes.get() + 1);
}

/** Whether this device stores a copy of the newest conversations for offline reading. */
export function isOffline(mailbox: string): boolean {
  return localStorage.getItem(offlineKey(mailbox)) === 'on';
}

export function setOffline(mailbox: string, isOn: boolean): void {
  if (isOn) localStorage.setItem(offlineKey(mailbox), 'on');
  else localStorage.removeItem(offlineKey(mailbox));
  changes.set(changes.get() + 1);
}

/** Deletes all data stored on this device for the mailbox, because its session has ended. */
export async function forgetDevice(mailbox: string): Promise<void> {
  const { sends, actions } = queuedOf(mailbox);
  const usedWorker = isOffline(mailbox) || notifyOf(mailbox) !== 'off';
  for (const kept of [localStorage, sessionStorage])
    for (const key of Object.keys(kept)) if (key.includes(mailbox)) kept.removeItem(key);
  changes.set(changes.get() + 1);
  if (sends + actions > 0) await (await import('../outbox/store.ts')).dropQueued(mailbox);
  void navigator.clearAppBadge?.().catch(() => undefined);
  if (usedWorker) await (await import('../offline/drop-copy.ts')).dropCopy(mailbox);
}
