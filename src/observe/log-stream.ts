/**
 * Writes log lines to stderr. The lines of an event-loop iteration are written together at its end. So a line costs only a microsecond, and
 * a killed process loses no more than the lines of its last iteration. A slow or stopped reader of stderr does not block the process.
 */
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** A write up to this size to a shared pipe is atomic (POSIX, PIPE_BUF). */
const MAX_WRITE_OCTETS = 4_096;
/** The size of the buffer for a slow or stopped reader, in octets. */
const MAX_WAITING_OCTETS = 16 * 1024 * 1024;
const BUSY_RETRY_MS = 20;
/** Time limit for writing the remaining lines at exit. */
const EXIT_PATIENCE_MS = 1_000;

const STDERR = 2;

export interface LogStreamOptions {
  /** The file descriptor to write to. Default: stderr. */
  fd?: number;
  /** Called with the number of lost lines as soon as lines can be written again. */
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
  /** Chunks of complete lines. A chunk is at most as long as one write, unless it is a single longer line. */
  #chunks: Chunk[] = [];
  /** The unwritten rest of the first chunk. */
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

  /** Writes the buffered lines before the process exits, for at most a second. */
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

  /** @returns false if stderr accepts nothing at the moment */
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
          // The disk is full, or the reader has exited. There is nowhere left to log this error.
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

/** Opens stderr in non-blocking mode. */
function openStderr(): number {
  const stats = fstatSync(STDERR);
  if (!stats.isFIFO() && !stats.isSocket() && !isatty(STDERR)) return STDERR;
  try {
    // Reopen a pipe or a terminal. The blocking mode belongs to the open file, so another process that shares stderr could otherwise change
    // it. A terminal must not block either, because it accepts nothing between Ctrl-S and Ctrl-Q.
    return openSync(
      `/proc/self/fd/${STDERR}`,
      constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY,
    );
  } catch {
    // Reopening fails if stderr is a socket or another user's terminal, or if this is not Linux. In these cases, let Node create its
    // stream, which makes stderr non-blocking.
    void process.stderr;
    return STDERR;
  }
}
