import { useState } from 'react';
import { dataOf, ServiceAway } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { DraftWarning } from '../../../../src/contract/mail/drafts.ts';
import type { Limits } from '../draft/composition.ts';
import type { DraftState } from '../draft/use-draft.ts';
import type { Files } from '../files/use-files.ts';
import { uploadsSettled } from '../../file-links/upload/uploads.ts';
import { type DraftLink, type FileLinkUploads, isComplete, underWay } from '../links/use-file-links.ts';
import { isAway, NO_LIMITS, queueSend } from '../../outbox/queue.ts';
import { newKey } from '../../../ui/new-key.ts';
import { toast } from '../../../ui/toast.tsx';
import { wordsOf } from '../words-of.ts';
import { isUploading } from '../files/files.ts';
import { type Obstacle, obstacleOf } from './checks.ts';
import { useUndoSend } from './use-undo-send.ts';

export interface Sending {
  /** @param at the time to send the message; null to send now */
  send(at: Date | null): void;
  /** The problem to fix before sending, or the reason why sending failed. */
  problem: string | null;
  /** The reason why sending waits, such as "Uploading files…". */
  waitReason: string | null;
  /** Warnings to confirm before sending. */
  warnings: readonly DraftWarning[] | null;
  answer(isSure: boolean): void;
  /** Links whose files are still uploading, while the user is asked whether to wait; null otherwise. */
  missing: readonly DraftLink[] | null;
  /** Call with the user's choice; null cancels sending. */
  answerMissing(how: 'wait' | 'now' | null): void;
  /** Sends without waiting for linked files. Null if sending does not wait for linked files. */
  stopWaiting: (() => void) | null;
}

export interface SendingOptions {
  mailbox: string;
  draft: DraftState;
  files: Files;
  links: FileLinkUploads;
  /** The limits on a message. Undefined until the limits are loaded. */
  limits: Limits | undefined;
  /** Loads the limits. Undefined if the server did not respond. */
  askLimits(): Promise<Limits | undefined>;
  onSent(): void;
  onObstacle(obstacle: Obstacle): void;
}

/** The state of sending a message, from the click on the button until the service has accepted the message. */
export function useSending(options: SendingOptions): Sending {
  const { mailbox, draft, files, links, onSent, onObstacle } = options;
  const [isObstacleShown, setObstacleShown] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [waitReason, setWaitReason] = useState<string | null>(null);
  const [unconfirmed, setUnconfirmed] = useState<{
    warnings: readonly DraftWarning[];
    at: Date | null;
  } | null>(null);
  const [missing, setMissing] = useState<{ links: readonly DraftLink[]; at: Date | null } | null>(null);
  const [waiting, setWaiting] = useState<AbortController | null>(null);
  const tell = useUndoSend(mailbox);

  /**
   * Shows the problem that prevents sending, if any, until the user has fixed it.
   * @returns whether there is a problem
   */
  function reportObstacle(limits: Limits): boolean {
    const found = obstacleOf(draft.current(), files.current(), links.current(), limits);
    setObstacleShown(found !== null);
    if (found !== null) onObstacle(found);
    return found !== null;
  }

  async function waitForLinks(): Promise<'all' | 'failed' | 'stopped'> {
    const stop = new AbortController();
    setWaiting(stop);
    try {
      await uploadsSettled(links.current().flatMap(underWay), stop.signal);
      return links.current().every((each) => each.isLeaving || isComplete(each)) ? 'all' : 'failed';
    } catch {
      return 'stopped';
    } finally {
      setWaiting(null);
    }
  }

  /** Waits for the limits, because on a slow connection the user may send a short message before the limits are loaded. */
  async function limitsInTime(): Promise<Limits | undefined> {
    setWaitReason('Sending…');
    const limits = await options.askLimits();
    setWaitReason(null);
    return limits;
  }

  /**
   * Puts the message into the Outbox, because there is no connection.
   * @param draft the draft that the service was asked to send, and may have sent with the key; null: none
   */
  async function queue(at: Date | null, key = newKey(), draft: string | null = null): Promise<void> {
    if (reportObstacle(NO_LIMITS)) return;
    const composition = options.draft.composition();
    if (files.current().some(isUploading) || links.current().length > 0) {
      setRefusal('Not sent: there is no connection, and the files of the message are not all uploaded.');
      return;
    }
    if (!(await queueSend({ key, mailbox, composition, draft, isTried: draft !== null }, at))) {
      setRefusal('Not sent: there is no connection, and this device has no space for the Outbox.');
      return;
    }
    options.draft.finish();
    onSent();
    toast('No connection. The message is in the Outbox and will be sent later.');
  }

  async function send(at: Date | null, sure: { ofLinks?: boolean; ofWarnings?: boolean }): Promise<void> {
    if (waitReason !== null) return;
    setRefusal(null);
    const limits = options.limits ?? (await limitsInTime());
    if (limits === undefined) {
      if (await isAway()) return await queue(at);
      setRefusal('Not sent: the server did not respond. Try again in a moment.');
      return;
    }
    if (reportObstacle(limits)) return;
    const key = newKey();
    let tried: string | null = null;
    const coming = links.current().filter((each) => !each.isLeaving && !isComplete(each));
    if (coming.length > 0 && sure.ofLinks !== true) {
      setMissing({ links: coming, at });
      return;
    }
    try {
      setWaitReason('Uploading files…');
      await files.settled();
      if (reportObstacle(limits)) return;
      setWaitReason('Sending…');
      const tooLate = await links.extend(at ?? new Date());
      if (tooLate !== null) {
        setRefusal(`Not sent: ${tooLate}`);
        return;
      }
      const saved = await draft.saved();
      if (saved === null) {
        if (await isAway()) return await queue(at);
        setRefusal('Not sent: the message could not be saved. Your text is still here; try again.');
        return;
      }
      const warnings = saved.warnings.filter(({ kind }) => kind !== 'bad-address' && kind !== 'too-large');
      if (warnings.length > 0 && sure.ofWarnings !== true) {
        setUnconfirmed({ warnings, at });
        return;
      }
      tried = saved.id;
      const outgoing = await dataOf(
        api.POST('/mailboxes/{mailbox}/drafts/{id}/send', {
          params: { path: { mailbox, id: saved.id } },
          body: { send_at: at?.toISOString() ?? null, key },
        }),
      );
      links.closeUnusedLinks();
      draft.finish();
      onSent();
      tell(outgoing, limits.undo_seconds);
    } catch (error) {
      if (error instanceof ServiceAway && (await isAway())) return await queue(at, key, tried);
      setRefusal(`Not sent: ${wordsOf(error)}`);
    } finally {
      setWaitReason(null);
    }
  }

  async function waitAndSend(at: Date | null): Promise<void> {
    setRefusal(null);
    setWaitReason('Will be sent when its files are uploaded');
    const haveArrived = await waitForLinks();
    setWaitReason(null);
    if (haveArrived === 'all') void send(at, { ofLinks: true });
    else if (haveArrived === 'failed')
      setRefusal('Not sent: a file could not be uploaded. See the list of files.');
  }

  const obstacle =
    isObstacleShown && options.limits !== undefined
      ? obstacleOf(draft.fields, files.all, links.all, options.limits)
      : null;
  return {
    send: (at) => void send(at, {}),
    waitReason,
    problem: obstacle?.text ?? refusal,
    warnings: unconfirmed?.warnings ?? null,
    answer(isSure) {
      setUnconfirmed(null);
      if (isSure) void send(unconfirmed?.at ?? null, { ofLinks: true, ofWarnings: true });
    },
    missing: missing?.links ?? null,
    answerMissing(how) {
      setMissing(null);
      const at = missing?.at ?? null;
      if (how === 'now') void send(at, { ofLinks: true });
      if (how === 'wait') void waitAndSend(at);
    },
    stopWaiting: waiting === null ? null : () => waiting.abort(),
  };
}
