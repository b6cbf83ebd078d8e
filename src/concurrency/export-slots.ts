/** Exports of one process: each of them reads all that there is, for as long as somebody takes it, and whoever accepts must not notice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../model/app-error.ts';
import { Semaphore } from './semaphore.ts';

/** Of a process, and of a project or an organisation. */
const MAX = 4;
const MAX_OF_ONE = 2;
const RETRY_SECONDS = 60;

/** Emails that were accepted within so long are a load that an export gives way to. */
const LOAD_MS = 1_000;
/** A page is then followed by a rest that is so many times as long: all exports together take a twentieth of the time. */
const REST = 19;
/** Proxies end an answer in which nothing comes for a minute, and the rests of all exports follow each other. */
const MAX_REST_MS = 10_000;

interface ExportedPage<Row> {
  data: Row[];
  /** null: it is the last one. */
  next_cursor: string | null;
}

export class ExportSlots {
  /** The owners of which something is being exported, each as often as that. */
  readonly #taken: string[] = [];
  readonly #reading = new Semaphore(1);
  readonly #countAccepted: () => Promise<number>;

  /** @param countAccepted how many emails this process has accepted */
  constructor(countAccepted: () => Promise<number>) {
    this.#countAccepted = countAccepted;
  }

  /**
   * Call it before anything is waited for, so that many who ask at once are counted one by one.
   * @param owner a project or an organisation
   * @param gone aborted when nobody takes the export any more: only then others have its place
   * @throws AppError unavailable
   */
  take(owner: string, gone: AbortSignal): void {
    gone.throwIfAborted();
    const ofOwner = this.#taken.filter((id) => id === owner).length;
    if (this.#taken.length >= MAX || ofOwner >= MAX_OF_ONE)
      throw new AppError('unavailable', 'Other exports are under way. Try again when they are done.', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    this.#taken.push(owner);
    gone.addEventListener('abort', () => this.#taken.splice(this.#taken.indexOf(owner), 1), {
      once: true,
    });
  }

  /**
   * The pages of an export, each made when the one before it is taken: one at a time of all exports, at full speed while nothing is
   * accepted.
   * @param gone ends a rest
   */
  async *pacing<Page>(pages: AsyncIterable<Page>, gone: AbortSignal): AsyncGenerator<Page> {
    const each = pages[Symbol.asyncIterator]();
    let accepted = await this.#countAccepted();
    let loadUntilMs = 0;
    const read = async (): Promise<IteratorResult<Page>> => {
      const startMs = performance.now();
      const result = await each.next();
      const endMs = performance.now();
      const now = await this.#countAccepted();
      if (now !== accepted) loadUntilMs = endMs + LOAD_MS;
      accepted = now;
      if (endMs < loadUntilMs) await rest(Math.min((endMs - startMs) * REST, MAX_REST_MS), gone);
      return result;
    };
    try {
      for (;;) {
        const { done, value } = await this.#reading.run(read);
        if (done === true) return;
        yield value;
      }
    } finally {
      await each.return?.();
    }
  }
}

async function rest(ms: number, gone: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: gone }).catch(() => {});
}

/**
 * The rows of a list, page by page. A page is read when the one before it is taken.
 * @param first read before: what cannot be read is said before the first line
 * @param isWelcome called before each further page; what it throws ends the export
 */
export async function* exportingPages<Row>(
  first: ExportedPage<Row>,
  read: (cursor: string) => Promise<ExportedPage<Row>>,
  isWelcome: () => Promise<void>,
): AsyncGenerator<Row[]> {
  yield first.data;
  for (let cursor = first.next_cursor; cursor !== null; ) {
    await isWelcome();
    const page = await read(cursor);
    yield page.data;
    cursor = page.next_cursor;
  }
}
