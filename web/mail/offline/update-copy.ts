/** Fills the offline copy of a mailbox: the newest conversations of the Inbox with their messages. */
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import type { ConversationRow } from '../../../src/contract/mail/conversations.ts';
import type { MailAccount } from '../../../src/contract/mail/session.ts';
import { ACCOUNT, copyName, STORED_PATH, PAGES_CACHE } from './names.ts';

/** Must equal the page size of the list, because cached responses are found by URL and the URL contains the page size. */
const LISTED = 50;
const MAX_CONVERSATIONS = 200;
const MAX_MESSAGES = 1_000;
/** The maximum size of all stored responses together. */
const MAX_OCTETS = 50 * 1_048_576;

const NOT_SIGNED_IN = 401;

/** The session has ended, so nothing may be stored, and the copy must be deleted. */
export class SessionEnded extends Error {}

/** The JSON of each conversation's row at the time the conversation was stored, by conversation id. */
type StoredRows = Record<string, string>;

/**
 * Updates the copy. After an interruption, the next call continues where the interrupted call stopped.
 * @throws SessionEnded, ServiceAway, ApiProblem; QuotaExceededError if the device has no space
 */
export async function updateCopy(account: MailAccount, signal: AbortSignal): Promise<void> {
  const { mailbox } = account;
  // This request checks the session before anything is stored.
  const { data: folders } = await dataOf(
    api.GET('/mailboxes/{mailbox}/folders', { params: { path: { mailbox } }, signal }),
  );
  const inbox = folders.find(({ role }) => role === 'inbox');
  signal.throwIfAborted();
  if (inbox === undefined) return;
  const cache = await caches.open(copyName(mailbox));
  const copy = new Copy(cache, `/mail/api/mailboxes/${mailbox}`, signal);
  await cache.put(ACCOUNT, Response.json({ ...account, csrf_token: '' }));
  await storePages();
  await copy.fetch('/folders');
  await copy.fetch('/settings');
  const before = ((await (await cache.match(STORED_PATH))?.json()) ?? {}) as StoredRows;
  const now: StoredRows = {};
  const rows: ConversationRow[] = [];
  for (let at = 0; at < Math.min(inbox.conversations, MAX_CONVERSATIONS); at += LISTED) {
    const page = await copy.fetch<{ data: ConversationRow[] }>(listPath(inbox.id, at));
    rows.push(...(page?.data ?? []));
  }
  for (const row of rows.slice(0, MAX_CONVERSATIONS)) {
    if (copy.isFull) break;
    const state = JSON.stringify([row.newest_at, row.messages, row.unread, row.starred]);
    await copy.conversation(row.id, before[row.id] === state);
    now[row.id] = state;
  }
  await cache.put(STORED_PATH, Response.json(now));
  await copy.dropOthers();
}

class Copy {
  readonly #cache: Cache;
  readonly #base: string;
  readonly #signal: AbortSignal;
  readonly #paths = new Set([ACCOUNT, STORED_PATH]);
  #messages = 0;
  #octets = 0;

  constructor(cache: Cache, base: string, signal: AbortSignal) {
    this.#cache = cache;
    this.#base = base;
    this.#signal = signal;
  }

  get isFull(): boolean {
    return this.#octets > MAX_OCTETS || this.#messages > MAX_MESSAGES;
  }

  /** Stores a conversation. @param isCached whether the stored state is current */
  async conversation(id: string, isCached: boolean): Promise<void> {
    const found = await this.fetch<{ messages: { id: string }[] }>(`/conversations/${id}`, isCached);
    for (const message of found?.messages ?? []) {
      if (this.isFull) return;
      this.#messages++;
      // The content of a message never changes.
      await this.fetch(`/messages/${message.id}`, true);
    }
  }

  /**
   * Fetches and stores a response.
   * @param usesStored whether to use a stored response
   * @returns null if the resource is gone
   */
  async fetch<Body>(path: string, usesStored = false): Promise<Body | null> {
    this.#signal.throwIfAborted();
    const url = this.#base + path;
    this.#paths.add(url);
    const cached = usesStored ? await this.#cache.match(url) : undefined;
    const response = cached ?? (await fetch(url, { signal: this.#signal }));
    if (response.status === NOT_SIGNED_IN) throw new SessionEnded();
    if (!response.ok) return null;
    const text = await response.text();
    this.#octets += text.length;
    const headers = { 'content-type': 'application/json' };
    // Stop here if the user has turned the copy off during the request.
    this.#signal.throwIfAborted();
    if (cached === undefined) await this.#cache.put(url, new Response(text, { headers }));
    return JSON.parse(text) as Body;
  }

  async dropOthers(): Promise<void> {
    for (const request of await this.#cache.keys()) {
      const { pathname, search } = new URL(request.url);
      if (!this.#paths.has(pathname + search)) await this.#cache.delete(request);
    }
  }
}

/**
 * Stores the document and every file that this page has loaded. If the server has a newer release, its document would load files that this
 * page does not have, so nothing is stored until the page is reloaded.
 */
async function storePages(): Promise<void> {
  const entry = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? '';
  const name = PAGES_CACHE + entry.slice(entry.lastIndexOf('/') + 1);
  const page = await fetch('/mail');
  if (!page.ok || !(await page.clone().text()).includes(new URL(entry).pathname)) return;
  const cache = await caches.open(name);
  const files = performance
    .getEntriesByType('resource')
    .map((loaded) => new URL(loaded.name))
    .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith('/mail/assets/'));
  for (const path of new Set(files.map(({ pathname }) => pathname)))
    if ((await cache.match(path)) === undefined) await cache.add(path);
  await cache.put('/mail', page);
  // The files of earlier releases, which no document loads any more.
  for (const other of await caches.keys())
    if (other.startsWith(PAGES_CACHE) && other !== name) await caches.delete(other);
}

function listPath(folder: string, at: number): string {
  return `/conversations?folder=${folder}&limit=${LISTED}&at=${at}`;
}
