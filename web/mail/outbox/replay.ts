/** Sends what is queued: actions in their order, then the messages of the Outbox. */
import type { QueryClient } from '@tanstack/react-query';
import { ApiProblem, dataOf, ServiceAway } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import { toast, toastFailure } from '../../ui/toast.tsx';
import { saveOf } from '../compose/draft/composition.ts';
import { wordsOf } from '../compose/words-of.ts';
import { removesFromList, sendOrder } from '../reading/actions.ts';
import { catchUp } from '../reading/catch-up.ts';
import { queuedOf } from '../shell/device-settings.ts';
import {
  listActions,
  listSends,
  putSend,
  type QueuedAction,
  type QueuedSend,
  removeAction,
  removeSend,
} from './store.ts';

/** Called when a queued action is done or dropped: shows what the service has. By id of the action. */
export const settling = new Map<number, () => void>();

/** The service did not respond, or is too busy, so the rest waits. */
class Wait extends Error {}

/** Of several tabs, one sends at a time. Without TLS browsers have no locks, and no queue that survives a reload. */
export async function whileNotReplaying(mailbox: string, work: () => Promise<void>): Promise<boolean> {
  if (!('locks' in navigator)) {
    await work();
    return true;
  }
  return navigator.locks.request(`posthorn-outbox-${mailbox}`, { ifAvailable: true }, async (lock) => {
    if (lock !== null) await work();
    return lock !== null;
  });
}

/** @param queries the data of this tab, which is brought up to date afterwards */
export async function replay(queries: QueryClient, mailbox: string): Promise<void> {
  await whileNotReplaying(mailbox, async () => {
    try {
      const queued = queuedOf(mailbox);
      // Reading would create the database again, which is deleted when it is empty.
      if (queued.actions + queued.sends === 0) return;
      const [actions, sends] = [await listActions(mailbox), await listSends(mailbox)];
      for (const action of actions) await replayAction(mailbox, action);
      for (const send of sends) if (send.problem === null) await replaySend(send);
    } catch (error) {
      if (!(error instanceof Wait)) throw error;
    } finally {
      await catchUp(queries, mailbox).catch(() => undefined);
      void queries.invalidateQueries({ queryKey: ['mail-outgoing', mailbox] });
      void queries.invalidateQueries({ queryKey: ['mail-drafts', mailbox] });
    }
  });
}

/** @throws Wait if a later attempt may succeed */
function waitOrThrow(error: unknown): never {
  const isLater =
    error instanceof ServiceAway ||
    (error instanceof ApiProblem && (error.status >= 500 || [401, 408, 429].includes(error.status)));
  throw isLater ? new Wait() : error;
}

async function replayAction(mailbox: string, { id = 0, order }: QueuedAction): Promise<void> {
  try {
    const { changed } = await sendOrder(mailbox, order).catch(waitOrThrow);
    if (changed === 0 && removesFromList(order.action))
      toast('A message that you moved while offline was moved or deleted elsewhere before.');
  } catch (error) {
    if (error instanceof Wait) throw error;
    toastFailure(`A change that you made while offline was not possible: ${wordsOf(error)}`);
  }
  await removeAction(mailbox, id);
  settling.get(id)?.();
  settling.delete(id);
}

async function replaySend(send: QueuedSend): Promise<void> {
  const { mailbox, composition, key, sendAt } = send;
  const subject = composition.fields.subject === '' ? 'No subject' : composition.fields.subject;
  let { draft } = send;
  try {
    draft ??= await save(send);
    // Stored first: if the response is lost, the message must not be saved again, which would make a second draft.
    await putSend({ ...send, draft, isTried: true });
    const isPast = sendAt === null || Date.parse(sendAt) <= Date.now();
    await dataOf(
      api.POST('/mailboxes/{mailbox}/drafts/{id}/send', {
        params: { path: { mailbox, id: draft } },
        body: { send_at: isPast ? null : sendAt, key },
      }),
    ).catch(waitOrThrow);
    toast(`“${subject}” is being sent`);
  } catch (error) {
    if (error instanceof Wait) throw error;
    // The key was used before, so the message was sent, or the user has undone sending it.
    if (!(error instanceof ApiProblem && error.slug === 'already-exists')) {
      const reason = wordsOf(error);
      if (draft === null) {
        await putSend({ ...send, problem: reason });
        toastFailure(`“${subject}” was not sent: ${reason} It stays in the Outbox.`);
        return;
      }
      toastFailure(`“${subject}” was not sent: ${reason} It was moved to Drafts.`);
    }
  }
  await removeSend(send);
}

async function save({ mailbox, composition }: QueuedSend): Promise<string> {
  const body = saveOf(composition);
  const { id } = composition;
  const saved = await dataOf(
    id === null
      ? api.POST('/mailboxes/{mailbox}/drafts', { params: { path: { mailbox } }, body })
      : api.PUT('/mailboxes/{mailbox}/drafts/{id}', { params: { path: { mailbox, id } }, body }),
  ).catch(waitOrThrow);
  return saved.id;
}
