/** Scans a file with ClamAV's daemon (clamd(8), INSTREAM). The bytes are sent over a socket, so no shared file is needed. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { printable } from '../../rfc/smtp/reply.ts';

/** A Unix socket on this machine, or a host and port. */
export type ClamdAddress = { readonly path: string } | { readonly host: string; readonly port: number };

/** The result of a scan. */
export type Scan =
  | { result: 'clean' }
  /** `found`: clamd's name of the virus. */
  | { result: 'infected'; found: string }
  /** The file is larger than clamd accepts (`StreamMaxLength`). */
  | { result: 'too-large' };

const CONNECT_MS = 10_000;
/** The time limit without a byte in either direction. clamd itself abandons a file after two minutes. */
const SILENCE_MS = 5 * 60_000;
/** The time limit for clamd to reject a file by its length alone. */
const REFUSAL_MS = 10_000;
/** A reply to a file is one line. */
const MAX_ANSWER_BYTES = 4_096;
const MAX_FOUND = 200;
const LENGTH_BYTES = 4;
const MAX_LENGTH = 2 ** 32 - 1;
const STREAM = Buffer.from('zINSTREAM\0');
const LAST = Buffer.alloc(LENGTH_BYTES);

/**
 * @param bytes the file, in pieces; reading stops once clamd has replied
 * @throws when clamd cannot be reached, closes the connection, or reports a failure
 */
export async function scanWithClamd(
  address: ClamdAddress,
  bytes: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<Scan> {
  const conversation = new Conversation(address, signal);
  let sent = 0;
  try {
    await conversation.open();
    await conversation.send(STREAM);
    for await (const piece of bytes) {
      if (piece.length === 0) continue;
      sent += piece.length;
      if (!(await conversation.send(lengthOf(piece.length))) || !(await conversation.send(piece))) break;
    }
    await conversation.send(LAST);
    return read(await conversation.answer());
  } catch (error) {
    // clamd resets the connection after a rejection, so a client that is still writing may never read the reply.
    if (isReset(error) && (await refuses(address, sent, signal))) return { result: 'too-large' };
    throw error;
  } finally {
    conversation.close();
  }
}

/** Whether clamd rejects a file of this size. clamd replies to the length alone: no bytes follow, so no reset can lose the reply. */
async function refuses(address: ClamdAddress, octets: number, signal: AbortSignal): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(REFUSAL_MS)]);
  const conversation = new Conversation(address, limit);
  try {
    await conversation.open();
    await conversation.send(STREAM);
    await conversation.send(lengthOf(Math.min(octets, MAX_LENGTH)));
    return read(await conversation.answer()).result === 'too-large';
  } catch {
    // clamd waits for the bytes, or the connection was lost. The size was not the reason for the reset.
    return false;
  } finally {
    conversation.close();
  }
}

function isReset(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'EPIPE' || code === 'ECONNRESET';
}

function lengthOf(octets: number): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(octets);
  return length;
}

/** @returns clamd's version @throws Error if clamd does not reply */
export async function askClamdVersion(address: ClamdAddress, signal: AbortSignal): Promise<string> {
  const conversation = new Conversation(address, signal);
  try {
    await conversation.open();
    await conversation.send(Buffer.from('zVERSION\0'));
    return printable(await conversation.answer(), MAX_FOUND);
  } finally {
    conversation.close();
  }
}

function read(answer: string): Scan {
  if (answer === 'stream: OK') return { result: 'clean' };
  const found = /^stream: (.+) FOUND$/s.exec(answer)?.[1];
  if (found !== undefined) return { result: 'infected', found: printable(found, MAX_FOUND) };
  if (answer.startsWith('INSTREAM size limit exceeded')) return { result: 'too-large' };
  throw new Error(`clamd says: ${printable(answer, MAX_FOUND)}`);
}

class Conversation {
  readonly #socket: Socket;
  readonly #answer: Promise<string>;
  #isAnswered = false;

  constructor(address: ClamdAddress, signal: AbortSignal) {
    this.#socket = connect({ ...address, signal });
    this.#answer = this.#read();
    // If the caller fails before it awaits the reply, a rejection would otherwise be unhandled.
    this.#answer.catch(() => {});
  }

  async open(): Promise<void> {
    this.#socket.setTimeout(CONNECT_MS, () => this.#socket.destroy(new Error('clamd is silent')));
    await once(this.#socket, 'connect');
    this.#socket.setTimeout(SILENCE_MS);
  }

  /** @returns false if clamd has replied and accepts no more bytes */
  async send(bytes: Buffer): Promise<boolean> {
    if (this.#isAnswered) return false;
    if (this.#socket.destroyed) return this.#hasAnswered();
    if (this.#socket.write(bytes)) return true;
    const { promise: drained, resolve } = Promise.withResolvers<void>();
    this.#socket.once('drain', resolve);
    try {
      // If the file is too large, clamd replies before the end and stops reading.
      await Promise.race([drained, this.#answer]);
    } finally {
      this.#socket.off('drain', resolve);
    }
    return !this.#isAnswered;
  }

  answer(): Promise<string> {
    return this.#answer;
  }

  close(): void {
    this.#socket.destroy();
  }

  async #hasAnswered(): Promise<false> {
    await this.#answer;
    return false;
  }

  async #read(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let text = '';
    const end = (error: Error): void => {
      // A reply may arrive just before the reset of the connection.
      if (text.endsWith('\0')) resolve(text.slice(0, -1));
      else reject(error);
    };
    this.#socket
      .on('data', (data) => {
        text += data.toString('latin1');
        if (text.length > MAX_ANSWER_BYTES) end(new Error("clamd's response is too long"));
        else if (text.includes('\0')) resolve(text.slice(0, text.indexOf('\0')));
      })
      .on('error', end)
      .on('close', () => end(new Error('clamd closed the connection before it replied')));
    const answer = await promise;
    this.#isAnswered = true;
    return answer;
  }
}
