/**
 * Decides, for each mailbox and before its filters run, where a message belongs. This depends on the spam level of the mailbox, and on
 * whether the mailbox already received the message.
 */
import type { Examination } from '../examine/examiner.ts';
import type { RoutedRecipient } from '../route/router.ts';
import { folderForVerdict, type SpamVerdict } from '../spam/verdict.ts';
import { type Hops, isLoop } from './loops.ts';

/** `refused` is the text of a 550 reply, with its enhanced status code. */
export type Refusal = 'loop' | { refused: string };

/** A mailbox, and where the message belongs in it. */
export interface Judged {
  recipient: RoutedRecipient;
  verdict: SpamVerdict;
  folder: 'inbox' | 'junk';
  /** The reason for refusing the message. Null if the mailbox accepts the message. */
  refusal: Refusal | null;
}

export async function judgeForMailboxes(
  { examination, hops }: { examination: Examination; hops: Hops },
  recipients: readonly RoutedRecipient[],
): Promise<Judged[]> {
  const verdictFor = await examination.verdictsFor(recipients.map(({ mailbox }) => mailbox));
  return recipients.map((recipient) => {
    const { mailbox, isReport } = recipient;
    const verdict = verdictFor(mailbox);
    // A delivery report is never treated as spam: the report quotes mail that the mailbox sent, and the reporting server signs nothing.
    const { outcome, ...refused } = isReport
      ? { outcome: 'inbox' as const }
      : folderForVerdict(examination.authentication, verdict, mailbox.spamLevel);
    const refusal = 'reply' in refused ? { refused: refused.reply } : null;
    return {
      recipient,
      verdict,
      folder: outcome === 'inbox' ? 'inbox' : 'junk',
      refusal: isLooping(hops, recipient) ? 'loop' : refusal,
    };
  });
}

/** If all mailboxes refuse the message, the refusal of the first mailbox; otherwise null. */
export function refusalOfAll(judged: readonly Judged[]): Refusal | null {
  return judged.every(({ refusal }) => refusal !== null) ? (judged[0]?.refusal ?? null) : null;
}

/** Whether the mailbox already received the message, either by its address or by a return address that only this mailbox has. */
function isLooping(hops: Hops, { address, mailbox, isReturnPath = false }: RoutedRecipient): boolean {
  return isLoop(hops, address) || (isReturnPath && isLoop(hops, mailbox.address));
}
