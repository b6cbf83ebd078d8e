import { useQueryClient } from '@tanstack/react-query';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { Outgoing } from '../../../../src/contract/mail/outgoing.ts';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useCompose } from '../../shell/compose.ts';
import { timeWords } from './later.ts';

/** In these elements the key z types a letter. In other elements z undoes sending, as long as undo is possible. */
const TYPING = 'input, textarea, select, [contenteditable=true]';

/** How long to wait for the outcome once undo is no longer possible, because the worker needs a moment to send the message. */
const OUTCOME_MS = 4000;

/**
 * Shows on every page that a message is being sent. Lets the user undo sending. Undo opens the message as a draft.
 */
export function useUndoSend(mailbox: string): (outgoing: Outgoing, undoSeconds: number) => void {
  const compose = useCompose();
  const queries = useQueryClient();

  async function takeBack(id: string): Promise<void> {
    try {
      const draft = await dataOf(
        api.POST('/mailboxes/{mailbox}/outgoing/{id}/cancel', {
          params: { path: { mailbox, id } },
        }),
      );
      compose({ draft: draft.id, ...(draft.in_reply_to !== null && { reply: draft.in_reply_to }) });
    } catch (error) {
      toastFailure(messageOf(error));
    } finally {
      void queries.invalidateQueries({ queryKey: ['mail-outgoing', mailbox] });
    }
  }

  async function showOutcome(id: string): Promise<void> {
    const found = await dataOf(
      api.GET('/mailboxes/{mailbox}/outgoing', { params: { path: { mailbox } } }),
    ).catch(() => null);
    const mine = found?.data.find((each) => each.id === id);
    if (mine?.status === 'refused')
      toastFailure(`Not sent: ${mine.problem ?? ''} The message was moved back to Drafts.`);
  }

  return ({ id, is_scheduled: isScheduled, sends_at: sendsAt }, undoSeconds) => {
    const undo = (): void => {
      forget();
      dismiss();
      clearTimeout(outcome);
      void takeBack(id);
    };
    const shownMs = undoSeconds * 1000;
    const title = isScheduled ? `Scheduled for ${timeWords(new Date(sendsAt))}` : 'Sending…';
    const dismiss = toast(title, { action: { label: 'Undo', run: undo }, shownMs });
    const forget = onUndoKey(undo, shownMs);
    const outcome = setTimeout(() => void showOutcome(id), isScheduled ? 2 ** 31 - 1 : shownMs + OUTCOME_MS);
    void queries.invalidateQueries({ queryKey: ['mail-outgoing', mailbox] });
  };
}

/** Listens for the key z. @returns a function that removes the shortcut */
function onUndoKey(undo: () => void, ms: number): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'z' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { target } = event;
    if (target instanceof Element && target.closest(TYPING) !== null) return;
    if (document.querySelector('dialog:modal, [role=menu]:popover-open') !== null) return;
    event.preventDefault();
    undo();
  };
  // Use the capture phase, which runs before the page's own shortcuts, because the key must undo the most recent action, which is sending.
  document.addEventListener('keydown', onKey, { capture: true });
  const forget = () => document.removeEventListener('keydown', onKey, { capture: true });
  setTimeout(forget, ms);
  return forget;
}
