/** The outbox of alerts. */
import type { DatabaseTransaction } from '../db/database.ts';
import type { AlertType } from '../model/alerts.ts';
import { newUuid, timeOf } from '../model/ids.ts';
import type { ReportedProblem, StoredContent } from './channel.ts';

/** The maximum number of problems in a message. The message says how many more there are. */
export const MAX_PROBLEMS = 10;

/** Stores a message to be sent, in the transaction that records why it is sent. */
export async function insertMessage(
  tx: DatabaseTransaction,
  subscriptionId: string,
  { type, ...content }: StoredContent,
): Promise<void> {
  const id = newUuid();
  const now = timeOf(id);
  await tx
    .insertInto('alertMessages')
    .values({
      id,
      subscriptionId,
      type: type satisfies AlertType,
      content: JSON.stringify(content),
      createdAt: now,
      nextAttemptAt: now,
    })
    .execute();
}

/** The messages about the problems: one for problems that exist, and one for resolved problems. */
export function messagesAbout(reports: readonly ReportedProblem[]): StoredContent[] {
  const inOrder = reports.toSorted((one, other) => one.severity - other.severity);
  const contentOf = (type: 'alert.opened' | 'alert.resolved', problems: readonly ReportedProblem[]) =>
    problems.length === 0
      ? []
      : [
          {
            type,
            problems: problems.slice(0, MAX_PROBLEMS),
            more: Math.max(0, problems.length - MAX_PROBLEMS),
          },
        ];
  return [
    ...contentOf(
      'alert.opened',
      inOrder.filter(({ change }) => change !== 'resolved'),
    ),
    ...contentOf(
      'alert.resolved',
      inOrder.filter(({ change }) => change === 'resolved'),
    ),
  ];
}
