import { SCOPE } from '../offline/names.ts';

/** A notification for a user who looks at something else. */
export interface BackgroundNotice {
  title: string;
  body: string;
  /** If several tabs show the same notification, only one appears. */
  tag: string;
  /** For the worker: the page to open, and the conversation that an open page shows. */
  data: { path: string; conversation: string };
}

/** Why notifications are not possible. */
export const NEEDS_COPY =
  'This browser shows notifications only with an offline copy. Turn it on under Reading.';

/** Chrome on Android lets only service workers show notifications: here the worker of the offline copy. */
function findWorker(): Promise<ServiceWorkerRegistration | undefined> {
  return 'serviceWorker' in navigator
    ? navigator.serviceWorker.getRegistration(SCOPE)
    : Promise.resolve(undefined);
}

/** Whether notifications can be shown here. Call this before asking for permission: afterwards the check would show one. */
export async function canNotify(): Promise<boolean> {
  try {
    new Notification('').close();
    return true;
  } catch {
    return (await findWorker()) !== undefined;
  }
}

/**
 * @param onOpen called on a click if the page receives it; otherwise the worker opens the page @returns false if
 * nothing can be shown here
 */
export async function notify({ title, ...notice }: BackgroundNotice, onOpen: () => void): Promise<boolean> {
  const options = { ...notice, icon: '/docs/icon.svg' };
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
