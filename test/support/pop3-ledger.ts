/** Runs random POP3 sessions and records the expected messages. Deleted messages must be removed if and only if QUIT gets an OK. */
import assert from 'node:assert/strict';
import { ConnectionOver, Pop3Wire } from '../../src/doors/pop3/dialogue.fixture.ts';
import { ImapClient } from './imap/client.ts';
import type { Random } from './imap/random.ts';

export interface Pop3Endpoint {
  host: string;
  imapPort: number;
  pop3Port: number;
  user: string;
  password: string;
}

const MESSAGES = 40;
const MAX_AT_ONCE = 8;

export class Pop3Ledger {
  readonly #endpoint: Pop3Endpoint;
  readonly #random: Random;
  /** The unique ids of the messages that must be stored. */
  #stored = new Set<string>();
  /** The messages that a QUIT without a response should delete: either all or none of them are gone. */
  #open: string[] | null = null;
  /** The message that first had each unique id, as a word of its subject, to detect reused ids. */
  readonly #owners = new Map<string, string>();
  #words = 0;
  /** The number of QUIT commands that were answered with OK. */
  completedQuits = 0;

  constructor(place: Pop3Endpoint, random: Random) {
    this.#endpoint = place;
    this.#random = random;
  }

  /** Appends messages until the mailbox has a fixed number of messages. */
  async fill(): Promise<void> {
    using client = await ImapClient.signIn({ ...this.#endpoint, port: this.#endpoint.imapPort });
    for (let at = this.#stored.size; at < MESSAGES; at++)
      await client.command('APPEND INBOX ', [
        Buffer.from(`Subject: w${++this.#words}\r\n\r\nHello.\r\n`),
        '',
      ]);
    await this.check();
    assert.equal(this.#stored.size, MESSAGES);
  }

  /** Runs sessions one after the other, until the server does not respond or `mayContinue` returns false. */
  async work(mayContinue: () => boolean): Promise<void> {
    while (mayContinue()) {
      using wire = await this.#enter();
      if (wire === null || !(await this.#isDone(wire))) return;
    }
  }

  /** Checks that exactly the expected messages are stored, with unchanged unique ids. */
  async check(): Promise<void> {
    using wire = await this.#enter();
    assert.ok(wire !== null);
    assert.ok(await this.#list(wire, 1));
    await wire.request('QUIT');
  }

  /** @returns null if the server or its database is unavailable */
  async #enter(): Promise<Pop3Wire | null> {
    const { host, pop3Port: port } = this.#endpoint;
    try {
      const wire = await Pop3Wire.connect({ host, port });
      await wire.signIn(this.#endpoint);
      return wire;
    } catch {
      return null;
    }
  }

  /** @returns false if the connection ended before the session */
  async #isDone(wire: Pop3Wire): Promise<boolean> {
    try {
      return await this.#session(wire);
    } catch (error) {
      // The connection ended, so the list of messages is incomplete and cannot be checked.
      if (error instanceof ConnectionOver) return false;
      throw error;
    }
  }

  /** @returns false if the connection ended */
  async #session(wire: Pop3Wire): Promise<boolean> {
    if (!(await this.#list(wire, 0.1))) return false;
    const numbers = this.#random
      .some(
        [...this.#stored].map((id, at) => ({ id, number: at + 1 })),
        0.3,
      )
      .slice(0, MAX_AT_ONCE);
    for (const { number } of numbers)
      if ((await wire.request(`DELE ${number}`))?.startsWith('+OK') !== true) return false;
    const end = this.#random.one(['QUIT', 'QUIT', 'QUIT', 'RSET', 'break']);
    if (end === 'break') {
      await wire.break();
      return true;
    }
    if (end === 'RSET' && (await wire.request('RSET')) === null) return false;
    const ids = end === 'RSET' ? [] : numbers.map(({ id }) => id);
    this.#open = ids;
    const answer = await wire.request('QUIT');
    if (answer?.startsWith('+OK') !== true) return false;
    this.#open = null;
    for (const id of ids) this.#stored.delete(id);
    this.completedQuits++;
    return true;
  }

  /** Lists the mailbox. @param share the share of the known messages that are also read @returns false if the connection ended */
  async #list(wire: Pop3Wire, share: number): Promise<boolean> {
    if ((await wire.request('UIDL'))?.startsWith('+OK') !== true) return false;
    const lines = await wire.lines();
    const ids = lines.map((line) => line.split(' ')[1] ?? '');
    for (const [at, id] of ids.entries()) {
      if (this.#owners.has(id) && !this.#random.chance(share)) continue;
      if ((await wire.request(`TOP ${at + 1} 0`))?.startsWith('+OK') !== true) return false;
      const word = /^Subject: (\w+)/.exec((await wire.lines()).join('\n'))?.[1];
      if (word === undefined) return false;
      assert.equal(this.#owners.get(id) ?? word, word, `${id} was another message`);
      if (!this.#owners.has(id)) {
        assert.ok(![...this.#owners.values()].includes(word), `${word} has a second id`);
        this.#owners.set(id, word);
        this.#stored.add(id);
      }
    }
    const isWhole = ids.length === this.#stored.size;
    const left = isWhole
      ? this.#stored
      : new Set([...this.#stored].filter((id) => !this.#open?.includes(id)));
    assert.deepEqual(new Set(ids), left);
    this.#stored = new Set(ids);
    this.#open = null;
    return true;
  }
}
