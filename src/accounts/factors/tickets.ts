/**
 * The state that a browser passes from one step of signing in to the next step. A ticket is sealed, so clients can neither read nor change
 * the ticket. It is valid for ten minutes and works once. The server stores nothing until the ticket is used.
 */
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import * as clock from '../../model/clock.ts';
import { newUuid } from '../../model/ids.ts';
import { TICKET_MS } from '../limits.ts';
import type { ProvedUser } from '../user-sign-in.ts';
import type { Realm } from './holder.ts';

/** The content of a ticket, by purpose. `holder` is the `Holder.text` of the ticket's owner. */
export interface TicketFields {
  /** The first step is complete, and the second factor is still missing. */
  'second-factor': {
    holder: string;
    passwordDigest: string | null;
    by: ProvedUser['by'];
    /** See `ProvedUser`. */
    resetLinkId?: string;
  };
  /** The secret of an authenticator app during setup. */
  totp: { holder: string; secret: string };
  /** @property holder null for any holder of a passkey */
  passkey: { use: 'sign-in' | 'add'; holder: string | null; challenge: string };
  /** @property confirms uuid of the session to confirm; null for a new sign-in */
  openid: { state: string; nonce: string; verifier: string; confirms: string | null; returnTo: string };
}

export type Ticket<Fields> = Fields & { id: string; expiresMs: number };

export class Tickets {
  readonly #database: Database;
  readonly #sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly #door: Realm<never>['door'];

  /** @param door `dashboard` or `web`; a ticket that was issued for one of them is not valid for the other */
  constructor(database: Database, sealer: Pick<Sealer, 'seal' | 'open'>, door: Realm<never>['door']) {
    this.#database = database;
    this.#sealer = sealer;
    this.#door = door;
  }

  issue<Purpose extends keyof TicketFields>(purpose: Purpose, fields: TicketFields[Purpose]): string {
    const ticket = { ...fields, id: newUuid(), expiresMs: clock.nowMs() + TICKET_MS };
    return this.#sealer.seal(Buffer.from(JSON.stringify(ticket)), this.#contextOf(purpose));
  }

  /**
   * Reads a ticket. Does not check whether the ticket was already used; `use` does.
   * @returns the content; null if the text is not a ticket for this purpose, or the ticket has expired
   */
  open<Purpose extends keyof TicketFields>(
    purpose: Purpose,
    text: string,
  ): Ticket<TicketFields[Purpose]> | null {
    try {
      const plain = this.#sealer.open(text, this.#contextOf(purpose)).toString();
      const ticket = JSON.parse(plain) as Ticket<TicketFields[Purpose]>;
      return ticket.expiresMs > clock.nowMs() ? ticket : null;
    } catch {
      return null;
    }
  }

  /** Marks a ticket as used. @returns false if the ticket was already used, also by a concurrent call */
  async use(
    { id, expiresMs }: Pick<Ticket<unknown>, 'id' | 'expiresMs'>,
    database: Database | DatabaseTransaction = this.#database,
  ): Promise<boolean> {
    const used = await database
      .insertInto('usedTickets')
      .values({ id, expiresAt: new Date(expiresMs) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    return used !== undefined;
  }

  #contextOf(purpose: keyof TicketFields): string {
    return `sign-in ticket ${this.#door} ${purpose}`;
  }
}
