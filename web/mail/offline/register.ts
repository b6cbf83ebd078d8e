/** The service worker, which is registered only while a feature of this device needs it. */
import { isAnyPushed } from '../shell/device-settings.ts';
import { mailboxOfCopy, PAGES_CACHE, SCOPE } from './names.ts';
// oxlint-disable-next-line import/default -- with ?worker&url the default export is the URL of the built worker
import workerUrl from './worker.ts?worker&url';

/** Registers the worker, and waits until it runs. */
export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.register(workerUrl, { scope: SCOPE });
  if (registration.active !== null) return registration;
  const starting = registration.installing ?? registration.waiting;
  await new Promise<void>((resolve) => {
    if (starting === null || starting.state === 'activated') return resolve();
    starting.addEventListener('statechange', () => starting.state === 'activated' && resolve());
  });
  return registration;
}

/** Ends what no mailbox of this browser needs any more: the subscription to push messages, the stored pages, and the worker. */
export async function dropWorker(): Promise<void> {
  if (!('serviceWorker' in navigator) || !('caches' in window)) return;
  const registration = await navigator.serviceWorker.getRegistration(SCOPE);
  const hasCopy = (await caches.keys()).some((name) => mailboxOfCopy(name) !== null);
  if (!isAnyPushed()) await (await registration?.pushManager.getSubscription())?.unsubscribe();
  if (!hasCopy)
    for (const name of await caches.keys()) if (name.startsWith(PAGES_CACHE)) await caches.delete(name);
  if (!hasCopy && !isAnyPushed()) await registration?.unregister();
}
