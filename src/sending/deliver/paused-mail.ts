/** Mail for destinations that an operator has paused: claimed rows are parked in the database, without a timeline event. */
import type { Database } from '../../db/database.ts';
import type { ClaimedRow } from '../../queue/claim.ts';
import { forgetDestination, parkUnstarted, claimDueDestinations, unpark } from '../../queue/destinations.ts';
import type { PausedDestinations } from '../../queue/paused-destinations.ts';
import type { DestinationChangesOptions } from './destination-changes.ts';
import { destinationOf } from './destination-of.ts';

const DUE = 100;
const UNPARK_ROWS = 10_000;

export interface PausedMailOptions extends Pick<DestinationChangesOptions, 'database' | 'lease' | 'orDoubt'> {
  pausedDestinations: Pick<PausedDestinations, 'hasPaused' | 'isPaused'>;
}

export class PausedMail {
  readonly #options: PausedMailOptions;

  constructor(options: PausedMailOptions) {
    this.#options = options;
  }

  /** Whether the destination of the row is paused. */
  holds({ address }: Pick<ClaimedRow, 'address'>): boolean {
    const { pausedDestinations } = this.#options;
    return pausedDestinations.hasPaused && pausedDestinations.isPaused(destinationOf(address));
  }

  /**
   * Parks the rows whose destination is paused.
   * @returns the other rows
   */
  async leave(rows: readonly ClaimedRow[]): Promise<ClaimedRow[]> {
    const { held: paused = [], free = [] } = Object.groupBy(rows, (row) =>
      this.holds(row) ? 'held' : 'free',
    );
    const { database, lease, orDoubt } = this.#options;
    const domains = Map.groupBy(paused, ({ address }) => destinationOf(address));
    for (const [domain, of] of domains)
      await orDoubt(() => parkUnstarted(database, lease.leaseId, of, domain));
    return free;
  }
}

/**
 * Makes parked rows of due destinations due again. Used if all mail is sent to one server, because then no worker claims the mail of one
 * destination. Without this function, mail that an operator has resumed, or that was parked under another provider, would stay parked.
 */
export async function unparkDue(database: Database): Promise<void> {
  for (const { name } of await claimDueDestinations(database, { backlogs: DUE, failing: DUE })) {
    while ((await unpark(database, name, UNPARK_ROWS)) === UNPARK_ROWS);
    await forgetDestination(database, name);
  }
}
