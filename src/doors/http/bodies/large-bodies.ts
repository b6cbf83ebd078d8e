/**
 * Reads large bodies in a thread, one at a time and with a rest after each, so that requests of others do not wait for them.
 * The projects take turns. How much waits is bounded by the budget (`raw-body.ts`) that each request holds its bytes in.
 * The thread runs only while there is something to read: its memory goes with it.
 */
import { Worker } from 'node:worker_threads';
import type { TSchema } from 'typebox';
import { AppError } from '../../../model/app-error.ts';
import type { BodyResult, BodyTask, ReadBody } from './read-body.ts';
import { TIMINGS } from './timings.ts';

interface Body {
  projectId: string;
  operationId: string;
  bytes: Buffer;
}

interface Waiting extends Body {
  resolve(read: ReadBody): void;
  reject(error: Error): void;
}

/**
 * To write and to compose a large email takes several times as long as to read it, on the processors that everybody uses:
 * the next one is not begun before much of that is done. This makes some 20 MB a second.
 */
const REST_MS_PER_MIB = 25;
const MIB = 1024 * 1024;

/** The largest body takes a fifth of it. Strings of a parsed value live there. */
const MAX_HEAP_MB = 256;

export class LargeBodies implements AsyncDisposable {
  /** By operation. */
  readonly #schemas: Readonly<Record<string, TSchema>>;
  readonly #threadIdleMs: number;
  /** By project, in the order of their turns. No list is empty. */
  readonly #waiting = new Map<string, Waiting[]>();
  #reading: Waiting | null = null;
  /** The size of what was read last. */
  #readMib = 0;
  #pause: NodeJS.Timeout | undefined;
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(schemas: Readonly<Record<string, TSchema>>, { threadIdleMs }: typeof TIMINGS = TIMINGS) {
    this.#schemas = schemas;
    this.#threadIdleMs = threadIdleMs;
  }

  /** Takes the bytes: they cannot be read any more. @throws AppError as `BodyReader` */
  read(body: Body): Promise<ReadBody> {
    const { projectId } = body;
    return new Promise((resolve, reject) => {
      const waiting = { ...body, resolve, reject };
      const others = this.#waiting.get(projectId);
      if (others === undefined) this.#waiting.set(projectId, [waiting]);
      else others.push(waiting);
      this.#next();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    clearTimeout(this.#pause);
    await this.#thread?.terminate();
  }

  #next(): void {
    if (this.#reading !== null || this.#pause !== undefined) return;
    clearTimeout(this.#idle);
    const [turn] = this.#waiting;
    if (turn === undefined) {
      this.#idle = setTimeout(() => this.#rest(), this.#threadIdleMs).unref();
      return;
    }
    const [projectId, bodies] = turn;
    const body = bodies.shift();
    this.#waiting.delete(projectId);
    if (bodies.length > 0) this.#waiting.set(projectId, bodies);
    if (body === undefined) return;
    this.#reading = body;
    this.#readMib = body.bytes.length / MIB;
    this.#thread ??= this.#start();
    const bytes = ownBytes(body.bytes);
    const question: BodyTask = { operationId: body.operationId, bytes };
    this.#thread.postMessage(question, [bytes.buffer]);
  }

  /** The thread takes a moment to end. Who comes meanwhile gets a new one, and is not lost with it. */
  #rest(): void {
    const thread = this.#thread;
    this.#thread = null;
    void thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      name: 'large bodies',
      workerData: this.#schemas,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    thread.unref();
    thread.on('message', (answer: BodyResult) => {
      if (thread !== this.#thread) return;
      const reading = this.#reading;
      this.#reading = null;
      if ('refusal' in answer) {
        const { code, detail, errors } = answer.refusal;
        reading?.reject(new AppError(code, detail, errors === undefined ? {} : { errors }));
        this.#next();
      } else {
        reading?.resolve(answer);
        this.#pause = setTimeout(() => {
          this.#pause = undefined;
          this.#next();
        }, this.#readMib * REST_MS_PER_MIB).unref();
      }
    });
    let cause: unknown;
    thread.on('error', (error) => {
      cause = error;
    });
    thread.on('exit', () => {
      if (thread !== this.#thread) return;
      this.#thread = null;
      const reading = this.#reading;
      if (reading === null) return;
      this.#reading = null;
      reading.reject(new Error('the thread that reads large bodies has ended', { cause }));
      this.#next();
    });
    return thread;
  }
}

/** Bytes in memory of their own, which can be handed to a thread. Others share theirs. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}
