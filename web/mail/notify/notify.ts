import { SCOPE } from '../offline/names.ts';
import type { OpenConversation } from '../push/names.ts';

/** A notification, shown while another tab or window is in front. */
export interface BackgroundNotice {
  title: string;
  body: string;
  /** Identifies the notification. If several tabs show a notification with the same tag, only one appears. */
  tag: string;
  /** Used by the worker on a click: the path to open in a new tab, and the conversation to open in an existing tab. */
  data: OpenConversation;
}

/** The message for browsers that cannot show notifications. */
export const NEEDS_COPY =
  'This browser shows notifications only with an offline copy. Turn it on under Reading.';

/** Finds the worker of the offline copy, because Chrome on Android lets only service workers show notifications. */
function findWorker(): Promise<ServiceWorkerRegistration | undefined> {
  return 'serviceWorker' in navigator
    ? navigator.serviceWorker.getRegistration(SCOPE)
    : Promise.resolve(undefined);
}

/**
 * Whether this browser can show notifications. Call it before asking for permission: once permission is granted, the check itself would
 * show a notification.
 */
export async function canNotify(): Promise<boolean> {
  try {
    new Notification('').close();
    return true;
  } catch {
    return (await findWorker()) !== undefined;
  }
}

/**
 * Shows a notification.
 * @param onOpen called on a click, unless a worker has shown the notification; the worker then handles the click
 * @returns false if this browser cannot show notifications
 */
export async function notify({ title, ...notice }: BackgroundNotice, onOpen: () => void): Promise<boolean> {
  const options = { ...notice, icon: '/mail/icon-192.png' };
  try {
    const shown = new Notification(title, options);
    shown.addEventListener('click', () => {
      onOpen();
      shown.close();
    });
    return true;
  } catch {
    const worker = await findWorker();
    await worker?.showNotification(title, options);
    return worker !== undefined;
  }
}
