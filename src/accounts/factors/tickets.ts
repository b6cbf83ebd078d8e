/**
 * What a browser carries from one step of signing in to the next: sealed, so that nobody reads or changes it, good for minutes, and used
 * once. A server keeps nothing until it is used.
 */
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import * as clock from '../../model/clock.ts';
import { newUuid } from '../../model/ids.ts';
import { TICKET_MS } from '../limits.ts';
import type { ProvedUser } from '../user-sign-in.ts';
import type { Realm } from './holder.ts';

/** What stands in a ticket, by what it is for. A holder is whose it is: see `Holder.text`. */
export interface TicketFields {
  /** Somebody has proved who they are, but for a second factor. */
  'second-factor': {
    holder: string;
    passwordDigest: string | null;
    by: ProvedUser['by'];
    /** See `ProvedUser`. */
    resetLinkId?: string;
  };
  /** The secret of an app that is being set up. */
  totp: { holder: string; secret: string };
  /** @property holder null: whoever has the passkey */
  passkey: { use: 'sign-in' | 'add'; holder: string | null; challenge: string };
  /** @property confirms uuid of the session of who is asked again; null: somebody signs in */
  openid: { state: string; nonce: string; verifier: string; confirms: string | null; returnTo: string };
}

export type Ticket<Fields> = Fields & { id: string; expiresMs: number };

export class Tickets {
  readonly #database: Database;
  readonly #sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly #door: Realm<never>['door'];

  /** @param door a ticket of one door opens no other */
  constructor(database: Database, sealer: Pick<Sealer, 'seal' | 'open'>, door: Realm<never>['door']) {
    this.#database = database;
    this.#sealer = sealer;
    this.#door = door;
  }

  issue<Purpose extends keyof TicketFields>(purpose: Purpose, fields: TicketFields[Purpose]): string {
    const ticket = { ...fields, id: newUuid(), expiresMs: clock.nowMs() + TICKET_MS };
    return this.#sealer.seal(Buffer.from(JSON.stringify(ticket)), this.#contextOf(purpose));
  }

  /** Null: it is none of ours for this purpose, or too old. Whether it was used, `use` tells. */
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

  /** Uses a ticket up: of two who come with one, one is told true. */
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
