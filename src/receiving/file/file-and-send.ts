import type { Database } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { insertSubmissions } from '../../sending/submit/insert-submissions.ts';
import type { AppendResult, NewMessage } from '../../store/append.ts';
import type { Store } from '../../store/store.ts';
import { recordVacationReply } from '../vacation/vacation-reply.ts';
import type { AutomaticMail } from './outgoing.ts';
import type { RouteFiling } from './route-filing.ts';
import type { SuccessReports } from './success-report.ts';

/** A message for a mailbox, and the mail that the mailbox sends in response. */
export interface FiledAndSent {
  message: NewMessage;
  outgoing: AutomaticMail | null;
}

/** Rows that are written in addition to the messages of mailboxes. */
export interface FiledBeside {
  reports: SuccessReports | null;
  routes: Pick<RouteFiling, 'storing'>;
  /** Whether the message can no longer be rejected, so that routes store it even if their project has no storage left. */
  mayExceed: boolean;
}

/**
 * Stores the messages, also for routes, and queues the automatic mail and the reports of success, in one transaction. A mailbox that is full or already has
 * the message sends nothing.
 * @returns one result per message of `batch`; null for a message that is forwarded without a stored copy
 */
export async function fileAndSend(
  database: Database,
  store: Pick<Store, 'appendIn' | 'ensureFolders'>,
  batch: readonly FiledAndSent[],
  { reports, routes, mayExceed }: FiledBeside,
): Promise<(AppendResult | null)[]> {
  const messages = batch.flatMap(({ message, outgoing }) =>
    outgoing?.isForwardedWithoutCopy ? [] : [message],
  );
  await store.ensureFolders(messages);
  const { results, committed } = await retryingConflicts(() =>
    database.transaction().execute(async (tx) => {
      const storeForRoutes = await routes.storing(tx, mayExceed);
      const appended = await store.appendIn(tx, messages);
      const rest = [...appended.results];
      const results = batch.map(({ outgoing }) =>
        outgoing?.isForwardedWithoutCopy ? null : (rest.shift() ?? null),
      );
      const sending = batch.flatMap(({ outgoing }, at) =>
        outgoing !== null && (results[at] === null || results[at]?.outcome === 'stored') ? [outgoing] : [],
      );
      const submissions = sending.flatMap(({ forwards }) => forwards);
      for (const { vacationReply } of sending)
        if (vacationReply !== null && (await recordVacationReply(tx, vacationReply)))
          submissions.push(vacationReply.submission);
      if (reports !== null) submissions.push(...reports(results));
      await insertSubmissions(tx, submissions);
      await storeForRoutes(
        new Set(
          batch.flatMap(({ message }, at) =>
            // A mailbox that has the email under another of its addresses gets no second copy, but a route may match only this address.
            results[at] === null ||
            results[at]?.outcome === 'stored' ||
            results[at]?.outcome === 'already-there'
              ? []
              : [message.mailboxId],
          ),
        ),
      );
      return { results, committed: appended.committed };
    }),
  );
  committed();
  return results;
}
