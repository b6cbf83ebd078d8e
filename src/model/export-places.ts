/** Exports at a time: each of them reads all that there is, for as long as somebody takes it. */
import { AppError } from './app-error.ts';

/** Of a process, and of a project. */
const MAX = 4;
const MAX_OF_ONE = 2;
const RETRY_SECONDS = 60;

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
