import { SCOPE } from '../offline/names.ts';

/** What somebody is told while they look at something else. */
export interface BackgroundNotice {
  title: string;
  body: string;
  /** Of several tabs that say the same, one is shown. */
  tag: string;
  /** What it leads to, for the worker: the page, and what of it a page that is open goes to. */
  data: { path: string; conversation: string };
}

/** Why nothing can be shown. */
export const NEEDS_COPY =
  'This browser shows notifications of a page only where it keeps an offline copy: switch that on under Reading.';

/** Chrome on Android lets no page make notifications by itself, but its service worker: that of the offline copy. */
function findWorker(): Promise<ServiceWorkerRegistration | undefined> {
  return 'serviceWorker' in navigator
    ? navigator.serviceWorker.getRegistration(SCOPE)
    : Promise.resolve(undefined);
}

/** Whether anything can be shown here. Only before the browser was asked: afterwards it would be shown. */
export async function canTell(): Promise<boolean> {
  try {
    new Notification('').close();
    return true;
  } catch {
    return (await findWorker()) !== undefined;
  }
}

/** @param onOpen it was clicked, where the page hears of that; else the worker leads to its page @returns false: nothing can be shown here */
export async function tell({ title, ...told }: BackgroundNotice, onOpen: () => void): Promise<boolean> {
  const options = { ...told, icon: '/docs/icon.svg' };
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
