/**
 * What this browser will send to the service when there is a connection: messages of the Outbox, and actions on mail. The database exists
 * only while something is queued.
 */
import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb';
import type { Composition } from '../compose/draft/composition.ts';
import type { Order } from '../reading/actions.ts';
import { setQueued } from '../shell/device-settings.ts';

const NAME = 'posthorn-outbox';
/** Limits the space on the device, and the time until everything is sent. */
export const MAX_SENDS = 100;
export const MAX_ACTIONS = 1_000;

export interface QueuedSend {
  /** Chosen once, so that the service sends the message once however often it is asked to. */
  key: string;
  /** The mailbox in which the message was written. */
  mailbox: string;
  composition: Composition;
  /** The draft on the service with exactly this text; null: not saved. */
  draft: string | null;
  /** Whether the service was asked to send it, and may have done so. */
  isTried: boolean;
  /** ISO 8601; null: at once. */
  sendAt: string | null;
  queuedAt: number;
  /** Why the service rejected the message, which is then not sent until the user changes it. */
  problem: string | null;
}

export interface QueuedAction {
  id?: number;
  mailbox: string;
  order: Order;
}

interface Schema extends DBSchema {
  sends: { key: string; value: QueuedSend; indexes: { mailbox: string } };
  actions: { key: number; value: QueuedAction; indexes: { mailbox: string } };
}

async function within<T>(work: (database: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
  const database = await openDB<Schema>(NAME, 1, {
    upgrade(created) {
      created.createObjectStore('sends', { keyPath: 'key' }).createIndex('mailbox', 'mailbox');
      created
        .createObjectStore('actions', { keyPath: 'id', autoIncrement: true })
        .createIndex('mailbox', 'mailbox');
    },
  });
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

/** Records how much is queued for the mailbox, for pages that need no more. Deletes an empty database. */
async function count(mailbox: string): Promise<void> {
  const { sends, actions, all } = await within(async (database) => ({
    sends: await database.countFromIndex('sends', 'mailbox', mailbox),
    actions: await database.countFromIndex('actions', 'mailbox', mailbox),
    all: (await database.count('sends')) + (await database.count('actions')),
  }));
  setQueued(mailbox, { sends, actions });
  if (all === 0) await deleteDB(NAME);
}

/** The messages of the Outbox, oldest first. */
export async function listSends(mailbox: string): Promise<QueuedSend[]> {
  const all = await within((database) => database.getAllFromIndex('sends', 'mailbox', mailbox));
  return all.toSorted((a, b) => a.queuedAt - b.queuedAt);
}

/** Adds or replaces a message. @throws DOMException if the device has no space; RangeError if the Outbox is full */
export async function putSend(send: QueuedSend): Promise<void> {
  await within(async (database) => {
    if ((await database.countFromIndex('sends', 'mailbox', send.mailbox)) >= MAX_SENDS)
      if ((await database.get('sends', send.key)) === undefined) throw new RangeError('the Outbox is full');
    await database.put('sends', send);
  });
  await count(send.mailbox);
}

/** @returns whether the message was still there */
export async function removeSend({ mailbox, key }: Pick<QueuedSend, 'mailbox' | 'key'>): Promise<boolean> {
  const found = await within(async (database) => {
    const stored = await database.get('sends', key);
    await database.delete('sends', key);
    return stored;
  });
  await count(mailbox);
  return found !== undefined;
}

/** The actions, in the order in which the user chose them. */
export function listActions(mailbox: string): Promise<QueuedAction[]> {
  return within((database) => database.getAllFromIndex('actions', 'mailbox', mailbox));
}

/** @returns the id of the action @throws DOMException if the device has no space; RangeError if too much is queued */
export async function addAction(action: QueuedAction): Promise<number> {
  const id = await within(async (database) => {
    if ((await database.countFromIndex('actions', 'mailbox', action.mailbox)) >= MAX_ACTIONS)
      throw new RangeError('too many actions are queued');
    return database.add('actions', action);
  });
  await count(action.mailbox);
  return id;
}

export async function removeAction(mailbox: string, id: number): Promise<void> {
  await within((database) => database.delete('actions', id));
  await count(mailbox);
}

/** Deletes everything that is queued for a mailbox, because its session has ended. */
export async function dropQueued(mailbox: string): Promise<void> {
  await within(async (database) => {
    const work = database.transaction(['sends', 'actions'], 'readwrite');
    for (const name of ['sends', 'actions'] as const)
      for (const key of await work.objectStore(name).index('mailbox').getAllKeys(mailbox))
        await work.objectStore(name).delete(key);
    await work.done;
  });
  await count(mailbox);
}
