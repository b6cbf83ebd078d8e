/**
 * Limits the exports of a process: an export keeps reading until the client has downloaded the whole list, and must not slow down accepting
 * emails.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../model/app-error.ts';
import { Semaphore } from './semaphore.ts';

/** The maximum number of concurrent exports in a process (`MAX`), and for one project or organization (`MAX_OF_ONE`). */
const MAX = 4;
const MAX_OF_ONE = 2;
const RETRY_SECONDS = 60;

/** Exports slow down if an email was accepted within this time. */
const LOAD_MS = 1_000;
/**
 * A slowed export pauses after each page for this many times as long as it took to read the page, so that all exports together are reading
 * only 5 % of the time.
 */
const REST = 19;
/**
 * The maximum pause. It is this short because proxies abort a response that sends nothing for a minute, and an export also has to wait
 * while the others pause.
 */
const MAX_REST_MS = 10_000;

interface ExportedPage<Row> {
  data: Row[];
  /** The cursor of the next page. Null on the last page. */
  next_cursor: string | null;
}

export class ExportSlots {
  /** The owner of each running export. An owner with several exports is listed several times. */
  readonly #owners: string[] = [];
  readonly #reading = new Semaphore(1);
  readonly #countAccepted: () => Promise<number>;

  /** @param countAccepted returns the number of emails that this process has accepted */
  constructor(countAccepted: () => Promise<number>) {
    this.#countAccepted = countAccepted;
  }

  /**
   * Takes a slot. Call this before the first `await` of a request, so that no other request can take the slot in between.
   * @param owner a project or an organization
   * @param signal frees the slot on abort. Abort the signal when the client disconnects or the export ends
   * @throws AppError unavailable, if no slot is free
   */
  take(owner: string, signal: AbortSignal): void {
    signal.throwIfAborted();
    const ofOwner = this.#owners.filter((id) => id === owner).length;
    if (this.#owners.length >= MAX || ofOwner >= MAX_OF_ONE)
      throw new AppError('unavailable', 'Other exports are in progress. Try again when they are complete.', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    this.#owners.push(owner);
    signal.addEventListener('abort', () => this.#owners.splice(this.#owners.indexOf(owner), 1), {
      once: true,
    });
  }

  /**
   * Paces the pages of an export. A page is read only after the caller has consumed the previous one, and all exports of the process
   * together read only one page at a time. Exports run at full speed while no email is accepted.
   * @param signal ends a pause
   */
  async *pacing<Page>(pages: AsyncIterable<Page>, signal: AbortSignal): AsyncGenerator<Page> {
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
      if (endMs < loadUntilMs) await pause(Math.min((endMs - startMs) * REST, MAX_REST_MS), signal);
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

/**
 * The rows of a list, page by page. A page is read only after the caller has consumed the previous one.
 * @param first the first page, which the caller has already read, so that an error can still be reported with an error status
 * @param assertMayContinue called before each further page is read. Its error ends the export
 */
export async function* exportingPages<Row>(
  first: ExportedPage<Row>,
  read: (cursor: string) => Promise<ExportedPage<Row>>,
  assertMayContinue: () => Promise<void>,
): AsyncGenerator<Row[]> {
  yield first.data;
  for (let cursor = first.next_cursor; cursor !== null; ) {
    await assertMayContinue();
    const page = await read(cursor);
    yield page.data;
    cursor = page.next_cursor;
  }
}
