/** Adds recipients who unsubscribe to the suppression list of their project, without expiry. */
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { GroupCommit } from '../../db/group-commit.ts';
import { ERASED } from '../../model/erased.ts';
import { ADDRESSED_ROW } from '../../queue/fragments.ts';
import { suppress } from '../suppress/suppressing.ts';
import { RECIPIENTS, recipientKey } from './record-hits.ts';
import type { TrackedRecipient } from './tracking-links.ts';

const MAX_BATCH = 200;
/** The maximum number of waiting requests. With more, each further request would wait longer than mail apps do. */
const MAX_WAITING = 1_000;

export class Unsubscriber {
  readonly #commit: GroupCommit<TrackedRecipient, boolean>;

  constructor(database: Database) {
    this.#commit = new GroupCommit({
      // A single flight stops this attack: a flood of requests uses up the database connections that accepting emails needs.
      flights: 1,
      maxItems: MAX_BATCH,
      flush: (recipients) => database.transaction().execute((tx) => unsubscribe(tx, recipients)),
    });
  }

  /**
   * Resolves after the commit: true if the recipient exists. An existing suppression is not changed. `lost`: the database is unreachable or
   * overloaded.
   */
  unsubscribe(recipient: TrackedRecipient): Promise<boolean | 'lost'> {
    return this.#commit.tryAdd(recipient, MAX_WAITING);
  }
}

async function unsubscribe(
  tx: DatabaseTransaction,
  recipients: readonly TrackedRecipient[],
): Promise<boolean[]> {
  const { rows } = await ADDRESSED_ROW.sql`
    select project_id, email_id, recipient_index, address
    from email_recipients join ${RECIPIENTS.from(recipients)} using (project_id, email_id, recipient_index)
    where address <> ${ERASED}`.execute(tx);
  await suppress(
    tx,
    rows.map(({ projectId, emailId, recipientIndex, address }) => ({
      projectId,
      address,
      reason: 'unsubscribe',
      detail: { source: 'one-click' },
      cause: { emailId, recipientIndex },
      expiresAt: null,
    })),
  );
  const known = new Set(rows.map(recipientKey));
  return recipients.map((of) => known.has(recipientKey(of)));
}
