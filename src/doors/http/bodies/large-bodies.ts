/**
 * Reads large bodies in a worker thread, one at a time and with a pause after each body, so that other requests do not wait. Projects are
 * served round-robin. The queue needs no limit of its own, because each request reserves its bytes in a budget (`raw-body.ts`). After some
 * time without a body, the thread ends, which frees its memory.
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
 * The pause after a body, per MiB. A large email takes several times as long to compose and store as to read, and all this work uses the
 * same processors. The pause lets much of that work finish before the next body is read and limits reading to about 20 MB a second.
 */
const REST_MS_PER_MIB = 25;
const MIB = 1024 * 1024;

/** The heap limit of the thread. The heap contains the strings of parsed values. The largest body takes a fifth of this limit. */
const MAX_HEAP_MB = 256;

export class LargeBodies implements AsyncDisposable {
  /** Body schemas by operation. */
  readonly #schemas: Readonly<Record<string, TSchema>>;
  readonly #threadIdleMs: number;
  /** Waiting bodies by project, in round-robin order. Every list has at least one body. */
  readonly #waiting = new Map<string, Waiting[]>();
  #reading: Waiting | null = null;
  /** The size in MiB of the body that was read last. */
  #readMib = 0;
  #pause: NodeJS.Timeout | undefined;
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(schemas: Readonly<Record<string, TSchema>>, { threadIdleMs }: typeof TIMINGS = TIMINGS) {
    this.#schemas = schemas;
    this.#threadIdleMs = threadIdleMs;
  }

  /** Transfers `body.bytes` to the thread, so the caller can no longer read them. @throws AppError with the codes of `BodyReader.of` */
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
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#idle = setTimeout(() => this.#rest(), this.#threadIdleMs).unref();
      return;
    }
    const [projectId, bodies] = next;
    const body = bodies.shift();
    this.#waiting.delete(projectId);
    if (bodies.length > 0) this.#waiting.set(projectId, bodies);
    if (body === undefined) return;
    this.#reading = body;
    this.#readMib = body.bytes.length / MIB;
    this.#thread ??= this.#start();
    const bytes = ownBytes(body.bytes);
    const task: BodyTask = { operationId: body.operationId, bytes };
    this.#thread.postMessage(task, [bytes.buffer]);
  }

  /** Ends the thread. If a body arrives while the thread is ending, a new thread reads the body. */
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
    thread.on('message', (result: BodyResult) => {
      if (thread !== this.#thread) return;
      const reading = this.#reading;
      this.#reading = null;
      if ('refusal' in result) {
        const { code, detail, errors } = result.refusal;
        reading?.reject(new AppError(code, detail, errors === undefined ? {} : { errors }));
        this.#next();
      } else {
        reading?.resolve(result);
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

/** Returns the bytes in a separate buffer that can be transferred to a thread. Pooled buffers share memory and cannot be transferred. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}
