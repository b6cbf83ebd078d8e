/** A connection to an IMAP server: commands in, answers out, each seen by whoever watches before the command is over. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { takeAnswer } from './tokens.ts';

export interface ImapPlace {
  host: string;
  port: number;
  user: string;
  password: string;
}

/** The end of a command. */
export interface Tagged {
  status: 'OK' | 'NO' | 'BAD';
  text: string;
}

const PATIENCE_MS = 20_000;
/** What was said last, for messages of failures. */
const REMEMBERED = 60;

export class ImapClient implements Disposable {
  /** Called with each answer that has no tag, without `* `. */
  onUntagged: (text: string) => void = () => {};
  readonly said: string[] = [];
  readonly #socket: Socket;
  #input: Buffer = Buffer.alloc(0);
  #tags = 0;
  #wake = Promise.withResolvers<void>();
  #waits: { tag: string; told: PromiseWithResolvers<Tagged>; goOn: (() => void) | null } | null = null;
  #fault: unknown = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.#input = Buffer.concat([this.#input, chunk]);
      try {
        for (let answer = takeAnswer(this.#input); answer !== null; answer = takeAnswer(this.#input)) {
          this.#input = answer.rest;
          this.#hear(answer.text);
        }
      } catch (error) {
        this.#fail(error);
      }
    });
    socket.on('error', () => {});
    socket.once('close', () => this.#fail(new Error('the connection is closed')));
  }

  static async connect({ host, port }: Pick<ImapPlace, 'host' | 'port'>): Promise<ImapClient> {
    const socket = connect({ host, port });
    const client = new ImapClient(socket);
    await once(socket, 'connect');
    return client;
  }

  static async signIn(place: ImapPlace): Promise<ImapClient> {
    const client = await ImapClient.connect(place);
    await client.command(`LOGIN "${place.user}" "${place.password}"`);
    return client;
  }

  /**
   * Says a command and waits for its end.
   * @param literals sent where the server asks for them, each behind a part of the text
   * @throws where it is not OK
   */
  async command(text: string, ...literals: [literal: Buffer, text: string][]): Promise<Tagged> {
    const tagged = await this.try(text, ...literals);
    assert.equal(tagged.status, 'OK', `${text}: ${tagged.status} ${tagged.text}`);
    return tagged;
  }

  async try(text: string, ...literals: [literal: Buffer, text: string][]): Promise<Tagged> {
    const tag = `t${++this.#tags}`;
    const told = Promise.withResolvers<Tagged>();
    told.promise.catch(() => {});
    if (this.#fault !== null) throw this.#fault;
    this.#waits = { tag, told, goOn: null };
    let line = `${tag} ${text}`;
    for (const [literal, next] of literals) {
      await this.#ask(`${line}{${literal.length}}`, told.promise);
      this.#socket.write(literal);
      line = next;
    }
    this.#say(line);
    return this.#patiently(told.promise);
  }

  /** Says IDLE. @returns what ends it */
  async idle(): Promise<() => Promise<Tagged>> {
    const tag = `t${++this.#tags}`;
    const told = Promise.withResolvers<Tagged>();
    told.promise.catch(() => {});
    this.#waits = { tag, told, goOn: null };
    await this.#ask(`${tag} IDLE`, told.promise);
    return () => {
      this.#say('DONE');
      return this.#patiently(told.promise);
    };
  }

  /** Resolves when an answer has come after the call. */
  get heard(): Promise<void> {
    return this.#wake.promise;
  }

  async #ask(line: string, end: Promise<Tagged>): Promise<void> {
    const goOn = Promise.withResolvers<void>();
    if (this.#waits !== null) this.#waits.goOn = goOn.resolve;
    this.#say(line);
    const early = end.then(({ status, text }) => assert.fail(`${line}: ${status} ${text}`));
    early.catch(() => {});
    await this.#patiently(Promise.race([goOn.promise, early]));
  }

  #say(line: string): void {
    this.#remember(`C: ${line}`);
    this.#socket.write(`${line}\r\n`);
  }

  #remember(line: string): void {
    this.said.push(line.slice(0, 300));
    if (this.said.length > REMEMBERED) this.said.shift();
  }

  #hear(text: string): void {
    this.#remember(`S: ${text}`);
    if (text.startsWith('+')) this.#waits?.goOn?.();
    else if (text.startsWith('* ')) this.onUntagged(text.slice(2));
    else {
      const [, tag, status, rest] = /^(\S+) (OK|NO|BAD)(?: (.*))?$/s.exec(text) ?? [];
      assert.equal(tag, this.#waits?.tag, `an answer to nothing: ${text}`);
      this.#waits?.told.resolve({ status: status as Tagged['status'], text: rest ?? '' });
      this.#waits = null;
    }
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  #fail(error: unknown): void {
    this.#fault ??= error;
    this.#waits?.told.reject(this.#fault);
    this.#waits = null;
    this.#wake.resolve();
    this.#socket.destroy();
  }

  async #patiently<T>(told: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer:\n${this.said.join('\n')}`)), PATIENCE_MS);
    });
    return Promise.race([told, patience]).finally(() => clearTimeout(timer));
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
