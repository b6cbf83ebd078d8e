/** Where a message belongs in each mailbox, before its filters: by its spam level, and whether it was delivered there before. */
import type { Examination } from '../examine/examiner.ts';
import type { RoutedRecipient } from '../route/router.ts';
import { folderForVerdict, type SpamVerdict } from '../spam/verdict.ts';
import { type Hops, isLoop } from './loops.ts';

/** `refused`: the text of a 550, with its enhanced code. */
export type Refusal = 'loop' | { refused: string };

/** One mailbox, with where the message belongs there. */
export interface Judged {
  recipient: RoutedRecipient;
  verdict: SpamVerdict;
  place: 'inbox' | 'junk';
  /** Null: it accepts the message. */
  refusal: Refusal | null;
}

export async function judge(
  { examination, hops }: { examination: Examination; hops: Hops },
  recipients: readonly RoutedRecipient[],
): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const recipient of recipients) {
    const { mailbox, isReport } = recipient;
    const verdict = await examination.verdictFor(mailbox.projectId);
    // A report returns what its mailbox wrote, in the name of a server that signs nothing.
    const { place, ...refused } = isReport
      ? { place: 'inbox' as const }
      : folderForVerdict(examination.authentication, verdict, mailbox.spamLevel);
    const refusal = 'reply' in refused ? { refused: refused.reply } : null;
    judged.push({
      recipient,
      verdict,
      place: place === 'inbox' ? 'inbox' : 'junk',
      refusal: isLooping(hops, recipient) ? 'loop' : refusal,
    });
  }
  return judged;
}

/** The refusal of the first mailbox if all of them refuse the message, else null. */
export function refusalOfAll(judged: readonly Judged[]): Refusal | null {
  return judged.every(({ refusal }) => refusal !== null) ? (judged[0]?.refusal ?? null) : null;
}

/** Whether the mailbox had the message before, also where it returns by an address that belongs to that mailbox alone. */
function isLooping(hops: Hops, { address, mailbox, isReturnPath = false }: RoutedRecipient): boolean {
  return isLoop(hops, address) || (isReturnPath && isLoop(hops, mailbox.address));
}
