/** Mail for destinations that an operator holds: what was claimed of it waits in the database, without a word on its timeline. */
import type { Database } from '../../db/database.ts';
import type { ClaimedRow } from '../../queue/claim.ts';
import { forgetDestination, parkUnstarted, takeDueDestinations, unpark } from '../../queue/destinations.ts';
import type { PausedDestinations } from '../../queue/paused-destinations.ts';
import type { DestinationChangesOptions } from './destination-changes.ts';
import { destinationOf } from './destination-of.ts';

const DUE = 100;
const UNPARK_ROWS = 10_000;

export interface PausedMailOptions extends Pick<DestinationChangesOptions, 'database' | 'lease' | 'orDoubt'> {
  holds: Pick<PausedDestinations, 'isAny' | 'isHeld'>;
}

export class PausedMail {
  readonly #options: PausedMailOptions;

  constructor(options: PausedMailOptions) {
    this.#options = options;
  }

  /** Whether the row may not be sent now. */
  holds({ address }: Pick<ClaimedRow, 'address'>): boolean {
    const { holds } = this.#options;
    return holds.isAny && holds.isHeld(destinationOf(address));
  }

  /**
   * Lets those that are held wait for their destination.
   * @returns the others
   */
  async leave(rows: readonly ClaimedRow[]): Promise<ClaimedRow[]> {
    const { held = [], free = [] } = Object.groupBy(rows, (row) => (this.holds(row) ? 'held' : 'free'));
    const { database, lease, orDoubt } = this.#options;
    const domains = Map.groupBy(held, ({ address }) => destinationOf(address));
    for (const [domain, of] of domains)
      await orDoubt(() => parkUnstarted(database, lease.leaseId, of, domain));
    return free;
  }
}

/**
 * Makes due what is parked for destinations whose time has come. Where all mail goes one way no worker claims the mail of one destination:
 * this is how mail goes on that an operator has resumed, or that was parked under another provider.
 */
export async function unparkDue(database: Database): Promise<void> {
  for (const { name } of await takeDueDestinations(database, { backlogs: DUE, failing: DUE })) {
    while ((await unpark(database, name, UNPARK_ROWS)) === UNPARK_ROWS);
    await forgetDestination(database, name);
  }
}
