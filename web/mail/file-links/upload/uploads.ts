/** Files on their way to the service, for all of this tab: they go on while other pages are shown. */
import { useSyncExternalStore } from 'react';
import { watched } from '../../../ui/watched.ts';
import { hasUploads } from '../../shell/state.ts';
import { rateOf } from './rate.ts';
import { AnotherFile, sendFile } from './send-file.ts';
import { tusTransport } from './tus-transport.ts';

export interface FileUpload {
  mailbox: string;
  /** `fil_…` */
  id: string;
  name: string;
  octets: number;
  /** What has arrived, and what is on the line. */
  sent: number;
  /** Bytes a second; null: not known yet. */
  perSecond: number | null;
  state:
    | 'waiting'
    /** It was chosen again: its beginning is compared with what has arrived, `sent` says how far. */
    | 'comparing'
    | 'sending'
    | 'paused'
    /** Nothing gets through at the moment: `problem` says why, and it goes on by itself. */
    | 'trying'
    | 'done'
    /** It was chosen again, and is another one: `problem` says so. */
    | 'another'
    /** It will not get there: `problem` says why. */
    | 'failed';
  problem: string | null;
}

interface Running {
  file: File;
  isChosenAgain: boolean;
  stop: AbortController;
}

/** The others wait for their turn. */
const MAX_SENDING = 2;

const all = watched<readonly FileUpload[]>([]);
const files = new Map<string, Running>();

export const uploadUrl = (mailbox: string, id: string) =>
  `/mail/api/mailboxes/${mailbox}/file-links/uploads/${id}`;

export function useUploads(): readonly FileUpload[] {
  return useSyncExternalStore(all.subscribe, all.get);
}

export const currentUploads = (): readonly FileUpload[] => all.get();

/** Whether it is not there yet, and may still get there. */
export const isUnderWay = ({ state }: FileUpload): boolean =>
  state !== 'done' && state !== 'failed' && state !== 'another';

/** Brings a file to its upload, from where that has come to. @param isChosenAgain the page was left meanwhile: it may be another file */
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

/** It is not wanted any more. What the service has of it is its own affair. */
export function dropUpload(id: string): void {
  files.get(id)?.stop.abort();
  files.delete(id);
  all.set(all.get().filter((each) => each.id !== id));
  next();
}

/** Resolves when none of these is under way. */
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
  const say = (given: Partial<FileUpload>): void => {
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
      onCompared: (sent) => say({ state: 'comparing', sent, problem: null }),
      onProgress(sent) {
        rate.note(sent, performance.now());
        // Paused and resumed it is not compared anew.
        running.isChosenAgain = false;
        say({ sent, perSecond: rate.perSecond() });
      },
      onTrouble(problem) {
        if (problem !== null) rate.reset();
        say(problem === null ? { state: 'sending', problem } : { state: 'trying', perSecond: null, problem });
      },
    });
    say({ state: 'done', sent: file.size, problem: null });
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'Something went wrong here.';
    say({ state: error instanceof AnotherFile ? 'another' : 'failed', problem });
  }
  if (signal.aborted) return;
  files.delete(id);
  next();
}

/** Until its time, or until there is a network again. */
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
/** What is on its way stays behind when the page is left. */
function warnBeforeLeaving(): void {
  if (isWarning) return;
  isWarning = true;
  window.addEventListener('beforeunload', (event) => {
    if (all.get().some(isUnderWay)) event.preventDefault();
  });
}
