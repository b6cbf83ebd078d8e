/** Queues what could not be sent for lack of a connection. */
import { dataOf, ServiceAway } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import type { Order } from '../reading/actions.ts';
import { settling } from './replay.ts';
import { addAction, putSend, type QueuedSend, removeAction } from './store.ts';

/** Limits that nothing reaches, for messages that are written without a connection. The service checks its own limits. */
export const NO_LIMITS = {
  file_bytes: Number.MAX_SAFE_INTEGER,
  message_bytes: Number.MAX_SAFE_INTEGER,
  recipients: Number.MAX_SAFE_INTEGER,
  undo_seconds: 0,
  schedule_days: Number.MAX_SAFE_INTEGER,
};

/** Whether the service does not respond. The offline copy may respond in its place. */
export async function isAway(): Promise<boolean> {
  if (!navigator.onLine) return true;
  try {
    return 'is_offline' in (await dataOf(api.GET('/session')));
  } catch (error) {
    return error instanceof ServiceAway;
  }
}

/** Puts a message into the Outbox. @returns false if there is no space */
export async function queueSend(
  send: Pick<QueuedSend, 'key' | 'mailbox' | 'composition' | 'draft' | 'isTried'>,
  at: Date | null,
): Promise<boolean> {
  try {
    await putSend({ ...send, sendAt: at?.toISOString() ?? null, queuedAt: Date.now(), problem: null });
    return true;
  } catch {
    return false;
  }
}

/**
 * Queues an action.
 * @param settle shows what the service has, when the action is done or undone
 * @returns a function that undoes the action; null if it cannot be queued
 */
export async function queueAction(
  mailbox: string,
  order: Order,
  settle: (isUndone?: boolean) => void,
): Promise<(() => void) | null> {
  if (order.all !== undefined || order.action === 'delete') return null;
  try {
    const id = await addAction({ mailbox, order });
    settling.set(id, settle);
    return () => {
      settling.delete(id);
      settle(true);
      void removeAction(mailbox, id);
    };
  } catch {
    return null;
  }
}
