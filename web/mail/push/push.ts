/** The subscription of this browser to notifications of a mailbox, which arrive also while no page is open. */
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import type { PushSubscribe } from '../../../src/contract/mail/push.ts';
import { dropWorker, registerWorker } from '../offline/register.ts';
import { isPushed, setPushed } from '../shell/device-settings.ts';

const SUBSCRIBE_MS = 15_000;

type Content = PushSubscribe['content'];

/** Whether this browser supports push messages. On iPhones and iPads it does only in the installed web client. */
export function canPush(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window;
}

/**
 * Subscribes this browser. The user must have allowed notifications.
 * @throws DOMException if the browser cannot reach its push service; ApiProblem, ServiceAway
 */
export async function subscribe(mailbox: string, content: Content): Promise<void> {
  const path = { mailbox };
  const { public_key } = await dataOf(api.GET('/mailboxes/{mailbox}/push', { params: { path } }));
  const { pushManager } = await registerWorker();
  const { endpoint, keys } = (await subscriptionWith(pushManager, public_key)).toJSON();
  await dataOf(
    api.PUT('/mailboxes/{mailbox}/push', {
      params: { path },
      body: {
        endpoint: endpoint ?? '',
        p256dh: keys?.['p256dh'] ?? '',
        auth: keys?.['auth'] ?? '',
        public_key,
        content,
      },
    }),
  );
  setPushed(mailbox, true);
}

/** All mailboxes of a browser share its subscription. It is replaced if the key of the installation was. */
async function subscriptionWith(manager: PushManager, key: string): Promise<PushSubscription> {
  const before = await manager.getSubscription();
  if (before !== null) {
    if (keyOf(before) === key) return before;
    await before.unsubscribe();
  }
  // In private windows, some browsers never answer.
  const late = new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(new DOMException('the push service did not answer', 'TimeoutError')),
      SUBSCRIBE_MS,
    );
  });
  return Promise.race([manager.subscribe({ userVisibleOnly: true, applicationServerKey: key }), late]);
}

function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Subscribes again if the subscription was lost, such as after the browser or the operators replaced its keys. */
export async function renew(mailbox: string, content: Content): Promise<void> {
  const found = await dataOf(api.GET('/mailboxes/{mailbox}/push', { params: { path: { mailbox } } }));
  const { pushManager } = await registerWorker();
  const now = await pushManager.getSubscription();
  if (found.content !== content || now === null || keyOf(now) !== found.public_key)
    await subscribe(mailbox, content);
}

/** @throws ApiProblem, ServiceAway; the browser is then still notified */
export async function unsubscribe(mailbox: string): Promise<void> {
  if (!isPushed(mailbox)) return;
  await dataOf(api.DELETE('/mailboxes/{mailbox}/push', { params: { path: { mailbox } } }));
  setPushed(mailbox, false);
  await dropWorker();
}
