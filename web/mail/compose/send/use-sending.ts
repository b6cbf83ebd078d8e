import { useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { DraftWarning } from '../../../api/mail-schema.ts';
import type { Limits } from '../draft/composition.ts';
import type { DraftState } from '../draft/use-draft.ts';
import type { Files } from '../files/use-files.ts';
import { type Obstacle, obstacleOf } from './checks.ts';
import { useUndoSend } from './use-undo-send.ts';

export interface Sending {
  /** @param at null: now */
  send(at: Date | null): void;
  /** What must be put right first, or why it did not go out. */
  problem: string | null;
  /** What it waits for: "Files are on their way". */
  waitsFor: string | null;
  /** What is asked before it goes out. */
  warnings: readonly DraftWarning[] | null;
  answer(isSure: boolean): void;
}

export interface SendingOptions {
  mailbox: string;
  draft: DraftState;
  files: Files;
  limits: Limits | undefined;
  onSent(): void;
  onObstacle(obstacle: Obstacle): void;
}

/** From the button until the service has taken the message. */
export function useSending({ mailbox, draft, files, limits, onSent, onObstacle }: SendingOptions): Sending {
  const [isTold, setIsTold] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [waitsFor, setWaitsFor] = useState<string | null>(null);
  const [asked, setAsked] = useState<{ warnings: readonly DraftWarning[]; at: Date | null } | null>(null);
  const tell = useUndoSend(mailbox);

  /** What is in the way is told until it is put right. */
  function isInTheWay(limits: Limits): boolean {
    const found = obstacleOf(draft.current(), files.current(), limits);
    setIsTold(found !== null);
    if (found !== null) onObstacle(found);
    return found !== null;
  }

  async function send(at: Date | null, isSure: boolean): Promise<void> {
    if (waitsFor !== null) return;
    if (limits === undefined) {
      setRefusal('Not sent: the server has not answered yet. Try again in a moment.');
      return;
    }
    setRefusal(null);
    if (isInTheWay(limits)) return;
    try {
      setWaitsFor('Files are on their way…');
      await files.settled();
      if (isInTheWay(limits)) return;
      setWaitsFor('Sending…');
      const saved = await draft.saved();
      if (saved === null) {
        setRefusal('Not sent: it could not be saved. What is written stays here; try again.');
        return;
      }
      const warnings = saved.warnings.filter(({ kind }) => kind !== 'bad-address' && kind !== 'too-large');
      if (warnings.length > 0 && !isSure) {
        setAsked({ warnings, at });
        return;
      }
      const outgoing = await dataOf(
        api.POST('/mailboxes/{mailbox}/drafts/{id}/send', {
          params: { path: { mailbox, id: saved.id } },
          body: { send_at: at?.toISOString() ?? null },
        }),
      );
      draft.finish();
      onSent();
      tell(outgoing, limits.undo_seconds);
    } catch (error) {
      setRefusal(`Not sent: ${messageOf(error)}`);
    } finally {
      setWaitsFor(null);
    }
  }

  const obstacle = isTold && limits !== undefined ? obstacleOf(draft.fields, files.all, limits) : null;
  return {
    send: (at) => void send(at, false),
    ...{ waitsFor, problem: obstacle?.text ?? refusal, warnings: asked?.warnings ?? null },
    answer(isSure) {
      setAsked(null);
      if (isSure) void send(asked?.at ?? null, true);
    },
  };
}
