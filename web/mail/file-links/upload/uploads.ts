/** The uploads of this tab. Uploads continue while the user visits other pages. */
import { useSyncExternalStore } from 'react';
import { watched } from '../../../ui/watched.ts';
import { hasUploads } from '../../shell/state.ts';
import { rateOf } from './rate.ts';
import { AnotherFile, sendFile } from './send-file.ts';
import { tusTransport } from './tus-transport.ts';

export interface FileUpload {
  mailbox: string;
  /** The id of the upload, `fil_…` */
  id: string;
  name: string;
  octets: number;
  /** The number of bytes received and in flight. */
  sent: number;
  /** The rate in bytes per second; null while unknown. */
  perSecond: number | null;
  state:
    | 'waiting'
    /** The user chose the file again, and it is compared with the bytes that the service has; `sent` is the progress. */
    | 'comparing'
    | 'sending'
    | 'paused'
    /** Sending fails temporarily and is retried; `problem` is the reason. */
    | 'trying'
    | 'done'
    /** The user chose a different file; `problem` is the message. */
    | 'another'
    /** The upload failed and is not retried; `problem` is the reason. */
    | 'failed';
  problem: string | null;
}

interface Running {
  file: File;
  isChosenAgain: boolean;
  stop: AbortController;
}

/** The maximum number of files to send at the same time. Other uploads wait. */
const MAX_SENDING = 2;

const all = watched<readonly FileUpload[]>([]);
const files = new Map<string, Running>();

export const uploadUrl = (mailbox: string, id: string) =>
  `/mail/api/mailboxes/${mailbox}/file-links/uploads/${id}`;

export function useUploads(): readonly FileUpload[] {
  return useSyncExternalStore(all.subscribe, all.get);
}

export const currentUploads = (): readonly FileUpload[] => all.get();

/** Whether the upload is not complete and may still succeed. */
export const isUnderWay = ({ state }: FileUpload): boolean =>
  state !== 'done' && state !== 'failed' && state !== 'another';

/**
 * Sends a file to its upload, from the offset that the service reports.
 * @param isChosenAgain whether the user chose the file again after leaving the page, in which case it may be another file
 */
export function startUpload(mailbox: string, id: string, file: File, isChosenAgain = false): void {
  files.get(id)?.stop.abort();
  files.set(id, { file, isChosenAgain, stop: new AbortController() });
  const upload = { mailbox, id, name: file.name, octets: file.size, sent: 0, perSecond: null, problem: null };
  all.set([...all.get().filter((each) => each.id !== id), { ...upload, state: 'waiting' }]);
  hasUploads.set(true);
  warnBeforeLeaving();
  next();
}

export function pauseUpload(id: string): void {
  const running = files.get(id);
  if (running === undefined) return;
  patch(id, { state: 'paused', perSecond: null, problem: null });
  running.stop.abort();
  next();
}

export function resumeUpload(id: string): void {
  const running = files.get(id);
  if (running === undefined) return;
  files.set(id, { ...running, stop: new AbortController() });
  patch(id, { state: 'waiting' });
  next();
}

/** Stops an upload. The bytes that the service has received are not deleted. */
export function dropUpload(id: string): void {
  files.get(id)?.stop.abort();
  files.delete(id);
  all.set(all.get().filter((each) => each.id !== id));
  next();
}

/** Resolves when none of the given uploads is running. */
export async function uploadsSettled(ids: readonly string[], signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const look = (): void => {
      const isOver = !all.get().some((each) => ids.includes(each.id) && isUnderWay(each));
      if (!isOver && !signal.aborted) return;
      unsubscribe();
      signal.removeEventListener('abort', look);
      if (isOver) resolve();
      else reject(new DOMException('aborted', 'AbortError'));
    };
    const unsubscribe = all.subscribe(look);
    signal.addEventListener('abort', look);
    look();
  });
}

function patch(id: string, given: Partial<FileUpload>): void {
  all.set(all.get().map((each) => (each.id === id ? { ...each, ...given } : each)));
}

function next(): void {
  const uploads = all.get();
  const busy = ['comparing', 'sending', 'trying'];
  let free = MAX_SENDING - uploads.filter(({ state }) => busy.includes(state)).length;
  for (const upload of uploads) {
    const running = files.get(upload.id);
    if (free <= 0 || upload.state !== 'waiting' || running === undefined) continue;
    free -= 1;
    void run(upload, running);
  }
}

async function run({ mailbox, id }: FileUpload, running: Running): Promise<void> {
  const { file, isChosenAgain, stop } = running;
  const rate = rateOf();
  const { signal } = stop;
  const report = (given: Partial<FileUpload>): void => {
    if (!signal.aborted) patch(id, given);
  };
  patch(id, { state: isChosenAgain ? 'comparing' : 'sending', problem: null });
  try {
    await sendFile({
      file,
      isChosenAgain,
      signal,
      transport: tusTransport(mailbox, uploadUrl(mailbox, id)),
      wait,
      onCompared: (sent) => report({ state: 'comparing', sent, problem: null }),
      onProgress(sent) {
        rate.note(sent, performance.now());
        // The comparison with the received bytes is needed only once, not after each pause.
        running.isChosenAgain = false;
        report({ sent, perSecond: rate.perSecond() });
      },
      onTrouble(problem) {
        if (problem !== null) rate.reset();
        report(
          problem === null ? { state: 'sending', problem } : { state: 'trying', perSecond: null, problem },
        );
      },
    });
    report({ state: 'done', sent: file.size, problem: null });
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'Something went wrong.';
    report({ state: error instanceof AnotherFile ? 'another' : 'failed', problem });
  }
  if (signal.aborted) return;
  files.delete(id);
  next();
}

/** Waits for a time, or until the network is back. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(timer);
      window.removeEventListener('online', go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    const timer = setTimeout(go, ms);
    window.addEventListener('online', go);
    signal.addEventListener('abort', go);
  });
}

let isWarning = false;
/** Warns before the user leaves the page, because leaving stops uploads. */
function warnBeforeLeaving(): void {
  if (isWarning) return;
  isWarning = true;
  window.addEventListener('beforeunload', (event) => {
    if (all.get().some(isUnderWay)) event.preventDefault();
  });
}
