/** Exports at a time: each of them reads all that there is, for as long as somebody takes it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from './app-error.ts';

/** Of a process, and of a project. */
const MAX = 4;
const MAX_OF_ONE = 2;
const RETRY_SECONDS = 60;

interface ExportedPage<Row> {
  data: Row[];
  /** null: it is the last one. */
  next_cursor: string | null;
}

export class ExportPlaces {
  /** The projects of which something is being exported, each as often as that. */
  readonly #taken: string[] = [];

  /**
   * Call it before anything is waited for, so that many who ask at once are counted one by one.
   * @param gone aborted when nobody takes the export any more: only then others have its place
   * @throws AppError unavailable
   */
  take(projectId: string, gone: AbortSignal): void {
    gone.throwIfAborted();
    const ofProject = this.#taken.filter((id) => id === projectId).length;
    if (this.#taken.length >= MAX || ofProject >= MAX_OF_ONE)
      throw new AppError('unavailable', 'Other exports are under way. Try again when they are done.', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    this.#taken.push(projectId);
    gone.addEventListener('abort', () => this.#taken.splice(this.#taken.indexOf(projectId), 1), {
      once: true,
    });
  }
}

/**
 * The rows of a list, page by page. A page is read when the one before it is taken, and half of the time nothing is.
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
    const startMs = performance.now();
    const page = await read(cursor);
    await sleep(performance.now() - startMs);
    yield page.data;
    cursor = page.next_cursor;
  }
}
