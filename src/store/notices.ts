/**
 * Notifies sessions in all processes that a folder of their mailbox has changed. A notice contains no data: the recipient queries the
 * changes. A notice may be duplicated, late or unnecessary. A notice is lost only if a process is killed between the commit and the notice,
 * or if PostgreSQL is down. The next notice, or the poll after a minute, then delivers the changes.
 */
import { setImmediate as nextIteration } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { listenTo } from '../db/notify.ts';
import type { FolderKey } from './in-folder.ts';
import { TIMINGS } from './timings.ts';

const CHANNEL = 'posthorn_mail';
/** A payload must be below 8,000 bytes (PostgreSQL, NOTIFY); each folder takes 73 bytes. */
const MAX_FOLDERS = 100;
/** Subscribers notified at a time. Each subscriber then queries the database, and building its query takes up to 0.1 ms. */
const NOTIFIED_AT_ONCE = 20;

/** Sends notices about changed folders, combined and outside the transactions that changed them (like `QueueNotifier`). */
export class MailNotifier {
  readonly #database: Database;
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Call after changes to the folder are committed. */
  changed({ mailboxId, folderId }: Pick<FolderKey, 'mailboxId' | 'folderId'>): void {
    this.#changed.add(`${mailboxId}/${folderId}`);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#send();
    }, TIMINGS.coalesceMs);
  }

  async #send(): Promise<void> {
    const all = [...this.#changed];
    this.#changed.clear();
    // If the database is down, listeners have lost their connections too, and poll again after they reconnect.
    await notifyChanged(this.#database, all).catch(() => {});
  }
}

/** Sends notices about changed folders immediately. @param folders each `<mailbox>/<folder>` */
export async function notifyChanged(database: Database, folders: readonly string[]): Promise<void> {
  const payloads: string[] = [];
  for (let at = 0; at < folders.length; at += MAX_FOLDERS)
    payloads.push(folders.slice(at, at + MAX_FOLDERS).join(' '));
  await sql`select pg_notify(${CHANNEL}, payload) from unnest(${payloads}::text[]) payload`.execute(database);
}

/** @param folderId null if any folder may have changed */
export type OnNotice = (folderId: string | null) => void;

/** Receives the notices over one connection per process, for all of its sessions. */
export class MailNotices implements AsyncDisposable {
  readonly #subscribers = new Map<string, Set<OnNotice>>();
  readonly #ofAll = new Set<(mailboxId: string) => void>();
  readonly #listening: AsyncDisposable;
  readonly #pollTimer: NodeJS.Timeout;

  /** @param url a database URL that does not lead through a transaction pooler, because LISTEN needs a session of its own */
  constructor(url: string) {
    this.#listening = listenTo(url, CHANNEL, {
      onNotice: (payload) => this.#notify(payload),
      onListening: () => void this.#notifyAll(),
    });
    this.#pollTimer = setInterval(() => void this.#notifyAll(), TIMINGS.pollMs).unref();
  }

  /**
   * Calls `onNotice` after every change in the mailbox until the result is disposed. The caller must have checked access to the mailbox.
   */
  subscribe(mailboxId: string, onNotice: OnNotice): Disposable {
    const subscribers = this.#subscribers.get(mailboxId) ?? new Set();
    this.#subscribers.set(mailboxId, subscribers);
    // Wrapped in a new function, because a caller may subscribe twice with the same function.
    const own: OnNotice = (folderId) => onNotice(folderId);
    subscribers.add(own);
    return {
      [Symbol.dispose]: () => {
        subscribers.delete(own);
        if (subscribers.size === 0 && this.#subscribers.get(mailboxId) === subscribers)
          this.#subscribers.delete(mailboxId);
      },
    };
  }

  /** Calls `onChange` after changes in any mailbox, until the result is disposed. Changes can be missed, as the poll does not count. */
  subscribeAll(onChange: (mailboxId: string) => void): Disposable {
    this.#ofAll.add(onChange);
    return { [Symbol.dispose]: () => void this.#ofAll.delete(onChange) };
  }

  #notify(payload: string): void {
    for (const changedFolder of payload.split(' ')) {
      const [mailboxId = '', folderId = null] = changedFolder.split('/');
      for (const onChange of this.#ofAll) onChange(mailboxId);
      for (const onNotice of this.#subscribers.get(mailboxId) ?? []) onNotice(folderId);
    }
  }

  async #notifyAll(): Promise<void> {
    const all = [...this.#subscribers].flatMap(([id, subscribers]) =>
      [...subscribers].map((onNotice) => ({ id, onNotice })),
    );
    for (const [at, { id, onNotice }] of all.entries()) {
      if (at > 0 && at % NOTIFIED_AT_ONCE === 0) await nextIteration();
      // The subscriber may have unsubscribed in the meantime.
      if (this.#subscribers.get(id)?.has(onNotice) === true) onNotice(null);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#pollTimer);
    await this.#listening[Symbol.asyncDispose]();
  }
}
