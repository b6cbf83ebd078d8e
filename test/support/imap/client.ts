/** A connection to an IMAP server. Each untagged response is passed to `onUntagged` before the command completes. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { takeAnswer } from './tokens.ts';

export interface ImapEndpoint {
  host: string;
  port: number;
  user: string;
  password: string;
}

/** The tagged response that ends a command. */
export interface Tagged {
  status: 'OK' | 'NO' | 'BAD';
  text: string;
}

const PATIENCE_MS = 20_000;
/** How many of the most recent lines are shown when a test fails. */
const REMEMBERED = 60;

export class ImapClient implements Disposable {
  /** Called with each untagged response, without `* `. */
  onUntagged: (text: string) => void = () => {};
  readonly lines: string[] = [];
  readonly #socket: Socket;
  #input: Buffer = Buffer.alloc(0);
  #tags = 0;
  #wake = Promise.withResolvers<void>();
  #waits: { tag: string; response: PromiseWithResolvers<Tagged>; continued: (() => void) | null } | null =
    null;
  #fault: unknown = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.#input = Buffer.concat([this.#input, chunk]);
      try {
        for (let answer = takeAnswer(this.#input); answer !== null; answer = takeAnswer(this.#input)) {
          this.#input = answer.rest;
          this.#receive(answer.text);
        }
      } catch (error) {
        this.#fail(error);
      }
    });
    socket.on('error', () => {});
    socket.once('close', () => this.#fail(new Error('the connection is closed')));
  }

  static async connect({ host, port }: Pick<ImapEndpoint, 'host' | 'port'>): Promise<ImapClient> {
    const socket = connect({ host, port });
    const client = new ImapClient(socket);
    await once(socket, 'connect');
    return client;
  }

  static async signIn(place: ImapEndpoint): Promise<ImapClient> {
    const client = await ImapClient.connect(place);
    await client.command(`LOGIN "${place.user}" "${place.password}"`);
    return client;
  }

  /**
   * Sends a command and waits for its tagged response.
   * @param literals literals of the command, each with the part of the command after it. A literal is sent when the server requests it
   * @throws AssertionError if the response is not OK
   */
  async command(text: string, ...literals: [literal: Buffer, text: string][]): Promise<Tagged> {
    const tagged = await this.try(text, ...literals);
    assert.equal(tagged.status, 'OK', `${text}: ${tagged.status} ${tagged.text}`);
    return tagged;
  }

  async try(text: string, ...literals: [literal: Buffer, text: string][]): Promise<Tagged> {
    const tag = `t${++this.#tags}`;
    const response = Promise.withResolvers<Tagged>();
    response.promise.catch(() => {});
    if (this.#fault !== null) throw this.#fault;
    this.#waits = { tag, response, continued: null };
    let line = `${tag} ${text}`;
    for (const [literal, next] of literals) {
      await this.#sendAndContinue(`${line}{${literal.length}}`, response.promise);
      this.#socket.write(literal);
      line = next;
    }
    this.#send(line);
    return this.#patiently(response.promise);
  }

  /** Starts IDLE. @returns a function that ends IDLE */
  async idle(): Promise<() => Promise<Tagged>> {
    const tag = `t${++this.#tags}`;
    const response = Promise.withResolvers<Tagged>();
    response.promise.catch(() => {});
    this.#waits = { tag, response, continued: null };
    await this.#sendAndContinue(`${tag} IDLE`, response.promise);
    return () => {
      this.#send('DONE');
      return this.#patiently(response.promise);
    };
  }

  /** Resolves when the next response arrives. */
  get heard(): Promise<void> {
    return this.#wake.promise;
  }

  async #sendAndContinue(line: string, end: Promise<Tagged>): Promise<void> {
    const continued = Promise.withResolvers<void>();
    if (this.#waits !== null) this.#waits.continued = continued.resolve;
    this.#send(line);
    const early = end.then(({ status, text }) => assert.fail(`${line}: ${status} ${text}`));
    early.catch(() => {});
    await this.#patiently(Promise.race([continued.promise, early]));
  }

  #send(line: string): void {
    this.#remember(`C: ${line}`);
    this.#socket.write(`${line}\r\n`);
  }

  #remember(line: string): void {
    this.lines.push(line.slice(0, 300));
    if (this.lines.length > REMEMBERED) this.lines.shift();
  }

  #receive(text: string): void {
    this.#remember(`S: ${text}`);
    if (text.startsWith('+')) this.#waits?.continued?.();
    else if (text.startsWith('* ')) this.onUntagged(text.slice(2));
    else {
      const [, tag, status, rest] = /^(\S+) (OK|NO|BAD)(?: (.*))?$/s.exec(text) ?? [];
      assert.equal(tag, this.#waits?.tag, `a response without a command: ${text}`);
      this.#waits?.response.resolve({ status: status as Tagged['status'], text: rest ?? '' });
      this.#waits = null;
    }
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  #fail(error: unknown): void {
    this.#fault ??= error;
    this.#waits?.response.reject(this.#fault);
    this.#waits = null;
    this.#wake.resolve();
    this.#socket.destroy();
  }

  async #patiently<T>(response: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer:\n${this.lines.join('\n')}`)), PATIENCE_MS);
    });
    return Promise.race([response, patience]).finally(() => clearTimeout(timer));
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
