/** Reads dialogues (`dialogues/README.md`) and plays them against any POP3 server. Does not depend on Posthorn. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';

/** A mailbox with an empty Inbox on a server, in which a dialogue is played. */
export interface Stage {
  host: string;
  port: number;
  user: string;
  password: string;
  deliver(folder: string, message: Buffer): Promise<void>;
  /** Deletes a message of the Inbox from outside the session; 1 is the oldest. */
  expunge(number: number): Promise<void>;
  /** Timeout for each response. */
  patienceMs?: number;
}

export interface Dialogue {
  file: string;
  title: string;
  isSignedOut: boolean;
  /** Servers that respond differently, each with the reason why the RFC allows the difference: `dovecot, because ...`. */
  differs: string[];
  steps: Step[];
}

type Step =
  | { what: 'deliver'; folder: string; how: string; lines: string[] }
  | { what: 'expunge' | 'break'; client: number; text: string }
  | { what: 'say' | 'raw' | 'hear' | 'among'; client: number; text: string };

const FOLDER = new URL('dialogues/', import.meta.url);
const KINDS = { C: 'say', R: 'raw', S: 'hear', A: 'among', E: 'expunge', X: 'break' } as const;
const SHORT = ['From: Anna <anna@a.example>', 'Subject: Hello', ''];
const PATIENCE_MS = 10_000;

export function readDialogues(): Dialogue[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.txt'))
    .flatMap((file) => readFile(file, readFileSync(new URL(file, FOLDER), 'utf8')));
}

function readFile(file: string, text: string): Dialogue[] {
  const dialogues: Dialogue[] = [];
  for (const line of text.split('\n')) {
    const dialogue = dialogues.at(-1);
    const title = /^## (.+)$/.exec(line)?.[1];
    if (title !== undefined) dialogues.push({ file, title, isSignedOut: false, differs: [], steps: [] });
    else if (dialogue !== undefined) readLine(dialogue, line);
  }
  return dialogues;
}

function readLine(dialogue: Dialogue, line: string): void {
  const { steps } = dialogue;
  const last = steps.at(-1);
  const [, word, client, text = ''] = /^(differs|signed-out|D|[CRSAEX])(\d*):? ?(.*)$/.exec(line) ?? [];
  if (word === 'differs') dialogue.differs.push(text);
  else if (word === 'signed-out') dialogue.isSignedOut = true;
  else if (word === 'D') {
    const [, folder = '', how = ''] = /^(.*?) ?(?:\((.*)\))?$/.exec(text) ?? [];
    steps.push({ what: 'deliver', folder: folder || 'INBOX', how, lines: [] });
  } else if (word !== undefined)
    steps.push({ what: KINDS[word as keyof typeof KINDS], client: Number(client || '1'), text });
  else if (last?.what === 'deliver' && (line.startsWith('   ') || line === ''))
    last.lines.push(line.slice(3));
  else if (line.trim() !== '' && !line.startsWith('#')) assert.fail(`${dialogue.file}: ${line}`);
}

export async function playDialogue(dialogue: Dialogue, stage: Stage): Promise<void> {
  const { user, password } = stage;
  const known = new Map([
    ['user', user],
    ['password', password],
    ['plain', Buffer.from(`\0${user}\0${password}`).toString('base64')],
    ['user64', Buffer.from(user).toString('base64')],
    ['password64', Buffer.from(password).toString('base64')],
    ['kilobytes', 'a'.repeat(16_384)],
  ]);
  const clients = new Map<number, Pop3Wire>();
  using stack = new DisposableStack();
  for (const [at, step] of dialogue.steps.entries()) {
    const where = `${dialogue.file}: ${dialogue.title}, step ${at + 1}`;
    if (step.what === 'deliver') await stage.deliver(step.folder, messageOf(step));
    else if (step.what === 'expunge') await stage.expunge(Number(step.text));
    else {
      let client = clients.get(step.client);
      if (client === undefined) {
        client = stack.use(await Pop3Wire.connect(stage));
        clients.set(step.client, client);
        if (!dialogue.isSignedOut) await client.signIn(stage);
      }
      if (step.what === 'break') await client.break();
      else if (step.what === 'say') client.send(`${fill(step.text, known)}\r\n`);
      else if (step.what === 'raw') client.send(JSON.parse(`"${fill(step.text, known)}\\r\\n"`) as string);
      else if (step.what === 'hear') expectLine(await client.line(), step.text, known, where);
      else {
        client.block ??= await client.lines();
        assert.ok(client.block.includes(step.text), `${where}: ${client.block.join(', ')}`);
      }
      if (step.what !== 'among') client.block = null;
    }
  }
  for (const client of clients.values())
    assert.equal(client.unread, '', `${dialogue.file}: ${dialogue.title}`);
}

function messageOf({ lines, how }: Extract<Step, { what: 'deliver' }>): Buffer {
  const text = lines.length === 0 ? SHORT : lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  const end = how === 'LF' ? '\n' : '\r\n';
  return Buffer.from(text.join(end) + (how === 'unended' ? '' : end));
}

function expectLine(line: string | null, expected: string, known: Map<string, string>, where: string): void {
  if (line === null || expected === '(closed)') return assert.equal(line ?? '(closed)', expected, where);
  const found = patternOf(expected, known).exec(line);
  if (found === null) assert.equal(line, expected, where);
  for (const [name, value] of Object.entries(found?.groups ?? {})) known.set(name, value);
}

function fill(text: string, known: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => known.get(name) ?? assert.fail(name));
}

function patternOf(expected: string, known: ReadonlyMap<string, string>): RegExp {
  const source = expected
    .split(/(\.\.\.|\$\{\w+\})/)
    .map((part) => {
      if (part === '...' && expected !== '...') return '.*';
      const name = /^\$\{(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) return escaped(part);
      const value = known.get(name);
      return value === undefined ? `(?<${name}>\\S+)` : escaped(value);
    })
    .join('');
  // The text after +OK and -ERR is not compared, because servers may choose the text (RFC 1939, section 9).
  return new RegExp(`^${source}${/^(?:\+OK|-ERR)/.test(expected) ? '(?: |$)' : '$'}`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

type Endpoint = Pick<Stage, 'host' | 'port' | 'patienceMs'>;

/** Thrown if the connection ends within a response. */
export class ConnectionOver extends Error {}

export class Pop3Wire implements Disposable {
  /** The lines of the current multi-line response. */
  block: string[] | null = null;
  #socket: Socket;
  #input = '';
  #closed = false;
  #onInput = (): void => {};

  readonly #patienceMs: number;

  private constructor(socket: Socket, patienceMs: number) {
    this.#socket = socket;
    this.#patienceMs = patienceMs;
    this.#listen(socket);
  }

  #listen(socket: Socket): void {
    socket.setNoDelay(true);
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      this.#input += text;
      this.#onInput();
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#closed = true;
      this.#onInput();
    });
  }

  static async connect({ host, port, patienceMs = PATIENCE_MS }: Endpoint): Promise<Pop3Wire> {
    const socket = connect({ port, host });
    await once(socket, 'connect');
    return new Pop3Wire(socket, patienceMs);
  }

  static async connectSecurely({ host, port, patienceMs = PATIENCE_MS }: Endpoint): Promise<Pop3Wire> {
    const socket = connectTls({ port, host, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    return new Pop3Wire(socket, patienceMs);
  }

  /** Starts TLS. Call this method after +OK to STLS. */
  async startTls(): Promise<void> {
    this.#socket.removeAllListeners();
    const secure = connectTls({ socket: this.#socket, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    this.#socket = secure;
    this.#listen(secure);
  }

  /** Sends a line. @returns the first line of the response */
  async request(line: string): Promise<string | null> {
    this.send(`${line}\r\n`);
    return this.line();
  }

  /** Stops reading until the next call of `line`. */
  pause(): void {
    this.#socket.pause();
  }

  /**
   * Reads the greeting and signs in. An earlier session that was cut off may still have the mailbox locked, so sign-in is retried eight
   * times over 13 seconds. After more failures, a server could disconnect the client.
   */
  async signIn({ user, password }: { user: string; password: string }): Promise<void> {
    assert.match((await this.line()) ?? '', /^\+OK/);
    for (let waitMs = 50; ; waitMs *= 2) {
      this.send(`USER ${user}\r\nPASS ${password}\r\n`);
      assert.match((await this.line()) ?? '', /^\+OK/);
      const answer = (await this.line()) ?? '';
      if (!answer.startsWith('-ERR [IN-USE]') || waitMs > 6_400) return assert.match(answer, /^\+OK/);
      await delay(waitMs);
    }
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  get unread(): string {
    return this.#input;
  }

  async break(): Promise<void> {
    this.#socket.resetAndDestroy();
    if (!this.#closed) await once(this.#socket, 'close');
  }

  /** Reads all lines up to the dot. @throws {ConnectionOver} if the connection ends before the dot */
  async lines(): Promise<string[]> {
    const lines: string[] = [];
    for (let line = await this.line(); line !== '.'; line = await this.line()) {
      if (line === null) throw new ConnectionOver('the connection was over before the dot');
      lines.push(line);
    }
    return lines;
  }

  /** Reads the next line. @returns the line without CRLF; null if the connection is over */
  async line(): Promise<string | null> {
    this.#socket.resume();
    for (;;) {
      const end = this.#input.indexOf('\r\n');
      if (end !== -1) {
        const line = this.#input.slice(0, end);
        this.#input = this.#input.slice(end + 2);
        return line;
      }
      if (this.#closed) return null;
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`no further line before the timeout; buffered: ${this.#input}`)),
          this.#patienceMs,
        );
        this.#onInput = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
