/**
 * The key with which this installation signs requests to push services (RFC 8292), sealed in the settings. If operators delete the setting,
 * the next use creates another key, and browsers subscribe again when the web client is opened.
 */
import { createPrivateKey } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import { newVapidKey, type VapidPair, vapidPairOf } from '../../rfc/web-push/vapid.ts';

const SETTING = 'push_key';
const CONTEXT = `settings/${SETTING}`;

export class PushKey {
  readonly #database: Database;
  readonly #sealer: Sealer;
  #opened: { sealed: string; pair: VapidPair } | null = null;

  constructor(database: Database, sealer: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  /** The current key. The first call of an installation creates it. */
  async read(): Promise<VapidPair> {
    const sealed = (await this.#stored()) ?? (await this.#create());
    if (this.#opened?.sealed !== sealed) {
      const der = this.#sealer.open(sealed, CONTEXT);
      const pair = vapidPairOf(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
      this.#opened = { sealed, pair };
    }
    return this.#opened.pair;
  }

  async #stored(): Promise<string | undefined> {
    const row = await this.#database
      .selectFrom('settings')
      .select('value')
      .where('name', '=', SETTING)
      .executeTakeFirst();
    return row?.value;
  }

  /** Another process may create the key at the same time. The first one is used. */
  async #create(): Promise<string> {
    await this.#database
      .insertInto('settings')
      .values({ name: SETTING, value: this.#sealed() })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const stored = await this.#stored();
    if (stored === undefined)
      throw new Error('the key for push services was removed right after it was stored');
    return stored;
  }

  #sealed(): string {
    const der = newVapidKey().export({ format: 'der', type: 'pkcs8' });
    return this.#sealer.seal(der, CONTEXT);
  }
}
