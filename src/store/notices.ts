/**
 * Who shows a mailbox learns that a folder of it has changed, in whatever process it was. A notice has no news in it: whoever gets
 * one asks for the changes. It may come twice, late, or for nothing. It is lost only where a process was killed between the commit and
 * the notice, or PostgreSQL was away: then the next one, or the look after a minute, brings what it would have brought.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { listenTo } from '../db/notify.ts';
import type { FolderKey } from './in-folder.ts';
import { TIMINGS } from './timings.ts';

const CHANNEL = 'posthorn_mail';
/** A payload is below 8,000 bytes (PostgreSQL, NOTIFY); each folder takes 73. */
const MAX_FOLDERS = 100;
/** Who is told at once to look: each asks the database, and to make that query takes up to 0.1 ms. */
const TOLD_AT_ONCE = 20;

/** Says which folders have changed, all together and outside of the transactions that changed them (`QueueNotifier`). */
export class MailNotifier {
  readonly #database: Database;
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Changes of the folder are committed. */
  changed({ mailboxId, folderId }: Pick<FolderKey, 'mailboxId' | 'folderId'>): void {
    this.#changed.add(`${mailboxId}/${folderId}`);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#say();
    }, TIMINGS.coalesceMs);
  }

  async #say(): Promise<void> {
    const all = [...this.#changed];
    this.#changed.clear();
    // The database is away: who listens has lost its connection too, and looks again when it has another one.
    await sayChanged(this.#database, all).catch(() => {});
  }
}

/** Says at once that folders have changed. @param places each `<mailbox>/<folder>` */
export async function sayChanged(database: Database, places: readonly string[]): Promise<void> {
  const payloads: string[] = [];
  for (let at = 0; at < places.length; at += MAX_FOLDERS)
    payloads.push(places.slice(at, at + MAX_FOLDERS).join(' '));
  await sql`select pg_notify(${CHANNEL}, payload) from unnest(${payloads}::text[]) payload`.execute(database);
}

/** @param folderId null: anything may have changed */
export type OnNotice = (folderId: string | null) => void;

/** One connection of a process, for everybody in it who shows a mailbox. */
export class MailNotices implements AsyncDisposable {
  readonly #subscribers = new Map<string, Set<OnNotice>>();
  readonly #listening: AsyncDisposable;
  readonly #looking: NodeJS.Timeout;

  /** @param url of the database, where a connection is a session */
  constructor(url: string) {
    this.#listening = listenTo(url, CHANNEL, {
      onNotice: (payload) => this.#tell(payload),
      onListening: () => void this.#tellAll(),
    });
    this.#looking = setInterval(() => void this.#tellAll(), TIMINGS.lookMs).unref();
  }

  /**
   * Calls back for every change of the mailbox until disposed of. The caller has asked that the mailbox is its own: a notice says
   * no more than that something changed.
   */
  subscribe(mailboxId: string, onNotice: OnNotice): Disposable {
    const subscribers = this.#subscribers.get(mailboxId) ?? new Set();
    this.#subscribers.set(mailboxId, subscribers);
    // One caller may subscribe twice with the same function.
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

  #tell(payload: string): void {
    for (const place of payload.split(' ')) {
      const [mailboxId = '', folderId = null] = place.split('/');
      for (const onNotice of this.#subscribers.get(mailboxId) ?? []) onNotice(folderId);
    }
  }

  async #tellAll(): Promise<void> {
    const all = [...this.#subscribers].flatMap(([id, subscribers]) =>
      [...subscribers].map((onNotice) => ({ id, onNotice })),
    );
    for (const [at, { id, onNotice }] of all.entries()) {
      if (at > 0 && at % TOLD_AT_ONCE === 0) await nextTurn();
      // Some left meanwhile.
      if (this.#subscribers.get(id)?.has(onNotice) === true) onNotice(null);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#looking);
    await this.#listening[Symbol.asyncDispose]();
  }
}
