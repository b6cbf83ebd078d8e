/**
 * Saves a draft shortly after the last key, and during continuous typing shortly after the first key. Only one save runs at a time, each
 * save has the newest text, and failed saves are retried until they succeed.
 */

export type SaveState =
  /** The draft has not been changed yet. */
  | { kind: 'untouched' }
  | { kind: 'changed' }
  | { kind: 'saving' }
  | { kind: 'saved'; at: Date }
  | { kind: 'failed'; message: string; isRetried: boolean };

export interface DraftSaverOptions {
  /** Saves the current text. @returns the time of the save */
  save(): Promise<Date>;
  onState(state: SaveState): void;
  /** Decides whether a failed save is retried, and which message is shown until the next save. */
  classifyFailure(error: unknown): { message: string; isRetried: boolean };
  pauseMs?: number;
  /** The maximum time without a save during continuous typing. */
  longestMs?: number;
  /** The pause before each retry. Once the list ends, its last pause is used for all further retries. */
  retriesMs?: readonly number[];
}

export interface DraftSaver {
  changed(): void;
  /** Waits for the save in flight, then saves newer changes. @returns whether all changes are saved */
  flush(): Promise<boolean>;
  isSaved(): boolean;
  /** Discards unsaved changes, because the draft was sent or deleted. */
  stop(): void;
}

const PAUSE_MS = 800;
/** Shorter than two seconds, so that the service stores the text within two seconds even though the response takes time. */
const LONGEST_MS = 1_500;
const RETRIES_MS = [2000, 4000, 8000, 15_000, 30_000];

export function createDraftSaver(options: DraftSaverOptions): DraftSaver {
  const { save, onState, classifyFailure } = options;
  const { pauseMs = PAUSE_MS, longestMs = LONGEST_MS, retriesMs = RETRIES_MS } = options;
  let written = 0;
  let savedVersion = 0;
  let failures = 0;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The timer for `longestMs`. It starts at the first unsaved change. */
  let longest: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | null = null;

  const later = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), ms);
  };

  async function attempt(): Promise<void> {
    const version = written;
    clearTimeout(longest);
    longest = undefined;
    onState({ kind: 'saving' });
    try {
      const at = await save();
      savedVersion = version;
      failures = 0;
      if (isStopped) return;
      if (written === savedVersion) onState({ kind: 'saved', at });
      else {
        onState({ kind: 'changed' });
        later(pauseMs);
      }
    } catch (error) {
      if (isStopped) return;
      const failure = classifyFailure(error);
      onState({ kind: 'failed', ...failure });
      if (failure.isRetried) later(retriesMs[Math.min(failures++, retriesMs.length - 1)] ?? pauseMs);
      else if (written !== version) later(pauseMs);
    }
  }

  async function flush(): Promise<boolean> {
    clearTimeout(timer);
    // The save in flight may lack the newest changes.
    if (running !== null) await running;
    if (running === null && written !== savedVersion && !isStopped) {
      clearTimeout(timer);
      running = attempt().finally(() => {
        running = null;
      });
    }
    if (running !== null) await running;
    return written === savedVersion;
  }

  return {
    changed() {
      if (isStopped) return;
      written++;
      if (running === null) onState({ kind: 'changed' });
      longest ??= setTimeout(() => void flush(), longestMs);
      later(pauseMs);
    },
    flush,
    isSaved: () => isStopped || written === savedVersion,
    stop() {
      isStopped = true;
      clearTimeout(timer);
      clearTimeout(longest);
    },
  };
}
