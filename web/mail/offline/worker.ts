/**
 * Responds from the offline copy if the service does not respond, and shows notifications of new mail. The worker runs only in browsers
 * where the user has turned on one of these. The worker stores nothing itself; `update-copy.ts` fills the copy. The worker deletes the copy
 * of a mailbox when the mailbox's session has ended.
 */
import type { PushMessage } from '../../../src/contract/mail/push.ts';
import type { MailAccount } from '../../../src/contract/mail/session.ts';
import { addressIn, type OpenConversation } from '../push/names.ts';
import { actOn, ICONS, noticeOf, type NoticeOptions, pathOf, type PushAction } from '../push/show-push.ts';
import { ACCOUNT, copyName, mailboxOfCopy, type OfflineAccounts, PAGES_CACHE } from './names.ts';

/** The part of a service worker's types that this file uses, because the project's types are for windows. */
interface Scope {
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchRequestEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickedEvent) => void): void;
  addEventListener(type: 'push', listener: (event: PushedEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: {
    claim(): Promise<void>;
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<Tab[]>;
    openWindow(path: string): Promise<unknown>;
  };
  registration: { showNotification(title: string, options: NoticeOptions): Promise<void> };
}
interface Tab {
  url: string;
  focused: boolean;
  postMessage(message: OpenConversation): void;
  focus(): Promise<unknown>;
}
interface WorkerEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface FetchRequestEvent extends WorkerEvent {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface ClickedEvent extends WorkerEvent {
  action: PushAction | '';
  /** The data is from `push`, or from a page that cannot show notifications itself. */
  notification: { data: PushMessage | OpenConversation; close(): void };
}
interface PushedEvent extends WorkerEvent {
  data: { json(): unknown } | null;
}

const scope = self as unknown as Scope;
const NOT_SIGNED_IN = 401;

scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  const [, mailbox] = /^\/mail\/api\/mailboxes\/(mbx_[0-9A-Z]+)\//.exec(pathname) ?? [];
  // A frame, or a stream that stays open, is not a response that can be stored.
  const isKept = request.mode !== 'navigate' && request.headers.get('accept') !== 'text/event-stream';
  if (mailbox !== undefined && isKept) event.respondWith(ofMailbox(request, mailbox));
  else if (pathname === '/mail/api/session') event.respondWith(session(request));
  else if (pathname.startsWith('/mail/assets/')) event.respondWith(asset(request));
  else if (request.mode === 'navigate' && !pathname.startsWith('/mail/api/'))
    event.respondWith(page(request));
});
scope.addEventListener('push', (event) => {
  if (event.data !== null) event.waitUntil(showPush(event.data.json() as PushMessage));
});
scope.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  const { data } = notification;
  if ('path' in data) event.waitUntil(openNotified(data));
  else if (action === '')
    event.waitUntil(openNotified({ path: pathOf(data), conversation: data.target?.conversation ?? '' }));
  else event.waitUntil(act(data, action));
});

/** Shows a notification, unless the user is looking at the mailbox. */
async function showPush(message: PushMessage): Promise<void> {
  await navigator.setAppBadge?.(message.unread).catch(() => undefined);
  const tabs = await tabsOf(message.address);
  if (message.kind === 'mail' && tabs.some(({ focused }) => focused)) return;
  await scope.registration.showNotification(...noticeOf(message));
}

async function act(message: PushMessage, action: PushAction): Promise<void> {
  try {
    await actOn(message, action);
    await navigator.setAppBadge?.(Math.max(0, message.unread - message.count)).catch(() => undefined);
  } catch {
    const title = action === 'archive' ? 'Not archived' : 'Not marked as read';
    const body = 'Open the mailbox to try again.';
    await scope.registration.showNotification(title, { ...ICONS, tag: message.mailbox, data: message, body });
  }
}

async function tabsOf(address: string): Promise<Tab[]> {
  const tabs = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  return tabs.filter(({ url }) => addressIn(url, location.origin).toLowerCase() === address.toLowerCase());
}

/**
 * Shows a conversation in the tab that has the mailbox open, without a reload, so that a message being written is not
 * lost. Opens a new tab if no tab has the mailbox open.
 */
async function openNotified(told: OpenConversation): Promise<void> {
  const [tab] = await tabsOf(addressIn(told.path, location.origin));
  if (tab === undefined) {
    await scope.clients.openWindow(told.path);
    return;
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker sees only tabs of its own origin
  tab.postMessage(told);
  await tab.focus();
}

async function ofMailbox(request: Request, mailbox: string): Promise<Response> {
  try {
    const response = await fetch(request);
    // Attack: a device is lost, and its session is ended from elsewhere. The finder of the device must not be able to read the copy.
    if (response.status === NOT_SIGNED_IN) await caches.delete(copyName(mailbox));
    return response;
  } catch (error) {
    const kept = await caches.match(request.url, { cacheName: copyName(mailbox) });
    if (kept !== undefined) return kept;
    throw error;
  }
}

async function session(request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    if (response.ok) await dropOthers((await response.clone().json()) as Accounts);
    return response;
  } catch (error) {
    const accounts = await cachedAccounts();
    if (accounts.length === 0) throw error;
    const answer: OfflineAccounts = { accounts, not_sending_since: null, is_offline: true };
    return Response.json(answer);
  }
}

interface Accounts {
  accounts: { mailbox: string; shared: object | null }[];
}

/**
 * Deletes the copies of mailboxes that this browser is no longer signed in to. Being listed as shared does not count: only owners have
 * copies, and the session of the owner may have ended while a member is still signed in.
 */
async function dropOthers({ accounts }: Accounts): Promise<void> {
  const open = new Set(accounts.filter(({ shared }) => shared === null).map(({ mailbox }) => mailbox));
  for (const name of await caches.keys()) {
    const mailbox = mailboxOfCopy(name);
    if (mailbox !== null && !open.has(mailbox)) await caches.delete(name);
  }
}

async function cachedAccounts(): Promise<MailAccount[]> {
  const accounts: MailAccount[] = [];
  for (const name of await caches.keys()) {
    if (mailboxOfCopy(name) === null) continue;
    const kept = await caches.match(ACCOUNT, { cacheName: name });
    if (kept !== undefined) accounts.push((await kept.json()) as MailAccount);
  }
  return accounts;
}

/** Responds with the stored file without a request to the service, because file names change with their content. */
async function asset(request: Request): Promise<Response> {
  return (await storedPage(request.url)) ?? fetch(request);
}

async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await storedPage('/mail');
    if (kept !== undefined) return kept;
    throw error;
  }
}

async function storedPage(path: string): Promise<Response | undefined> {
  for (const name of await caches.keys()) {
    const kept = name.startsWith(PAGES_CACHE) ? await caches.match(path, { cacheName: name }) : undefined;
    if (kept !== undefined) return kept;
  }
  return undefined;
}
