/**
 * Takes the lines of the log to stderr. What is logged in one turn of the event loop leaves at its end, in few writes: a line costs
 * a microsecond then, and only that turn is lost when the process is killed. Who reads stderr slowly, or not at all, does not
 * hold the process up.
 */
import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** So much of what goes into a pipe comes out in one piece, whoever else writes to it (POSIX, PIPE_BUF): whole lines. */
const MAX_WRITE_OCTETS = 4_096;
/** What a reader that is away may leave behind. */
const MAX_WAITING_OCTETS = 16 * 1024 * 1024;
const BUSY_RETRY_MS = 20;
/** For what is left at the exit of the process. */
const EXIT_PATIENCE_MS = 1_000;

const STDERR = 2;

export interface LogStreamOptions {
  /** Default: stderr. */
  fd?: number;
  /** Called when lines can be written again after some were lost. */
  onLost(lines: number): void;
}

interface Chunk {
  text: string;
  octets: number;
  lines: number;
}

export class LogStream {
  readonly #fd: number;
  readonly #onLost: (lines: number) => void;
  /** Each of whole lines; none is larger than one write but where a line is. */
  #chunks: Chunk[] = [];
  /** Of the first chunk, what is left of it. */
  #rest: Buffer | null = null;
  #waitingOctets = 0;
  #lostLines = 0;
  #isScheduled = false;

  constructor({ fd = openStderr(), onLost }: LogStreamOptions) {
    this.#fd = fd;
    this.#onLost = onLost;
  }

  /** @param line ends with a line feed */
  write(line: string): void {
    const octets = Buffer.byteLength(line);
    if (this.#waitingOctets + octets > MAX_WAITING_OCTETS) {
      this.#lostLines += 1;
      return;
    }
    this.#waitingOctets += octets;
    const last = this.#chunks.at(-1);
    const isUnderWay = this.#rest !== null && this.#chunks.length === 1;
    if (last === undefined || isUnderWay || last.octets + octets > MAX_WRITE_OCTETS) {
      this.#chunks.push({ text: line, octets, lines: 1 });
    } else {
      last.text += line;
      last.octets += octets;
      last.lines += 1;
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#run);
  }

  /** Before the process exits: what waits has a second. */
  readonly flushAtExit = (): void => {
    const untilMs = Date.now() + EXIT_PATIENCE_MS;
    while (!this.#flush() && Date.now() < untilMs) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_RETRY_MS);
    }
  };

  readonly #run = (): void => {
    if (!this.#flush()) {
      setTimeout(this.#run, BUSY_RETRY_MS).unref();
      return;
    }
    this.#isScheduled = false;
    if (this.#lostLines === 0) return;
    const lines = this.#lostLines;
    this.#lostLines = 0;
    this.#onLost(lines);
  };

  /** False: stderr takes nothing for now. */
  #flush(): boolean {
    let done = 0;
    for (const chunk of this.#chunks) {
      const bytes = this.#rest ?? Buffer.from(chunk.text);
      try {
        const written = writeSync(this.#fd, bytes);
        this.#rest = written < bytes.length ? bytes.subarray(written) : null;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') this.#rest = bytes;
        else {
          // The disk is full, or nobody reads any more: there is no place to say so.
          this.#rest = null;
          this.#lostLines += chunk.lines;
        }
      }
      if (this.#rest !== null) break;
      this.#waitingOctets -= chunk.octets;
      done += 1;
    }
    this.#chunks.splice(0, done);
    return this.#chunks.length === 0;
  }
}

/** Where others read, writing must not wait for them. */
function openStderr(): number {
  const stats = fstatSync(STDERR);
  if (!stats.isFIFO() && !stats.isSocket()) return STDERR;
  try {
    // A pipe is opened once more: who shares stderr with this process may set it to wait.
    return openSync(`/proc/self/fd/${STDERR}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // A socket, or another system. That Node has a stream for it sets it not to wait.
    void process.stderr;
    return STDERR;
  }
}
