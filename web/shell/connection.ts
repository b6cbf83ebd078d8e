/**
 * State that results from an application's calls: whether the server responds, whether the user must confirm their
 * identity for a call, and whether the pages are current.
 */
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Handlers, type PathValues, ServiceAway, setHandlers } from '../api/client.ts';
import { watched } from '../ui/watched.ts';

const CHECK_MS = 3_000;

/**
 * - `away`: the server does not respond
 * - `unready`: the server responds that it cannot work at the moment, for example because its database is stopped
 * - `slow`: a read takes unusually long
 */
type Fault = 'away' | 'unready' | 'slow';

/** The fault that is shown if there are several comes first. */
const FAULTS: readonly Fault[] = ['away', 'unready', 'slow'];

interface Connection {
  /** `offline`: the server does not respond, because the browser has no network. */
  state: Fault | 'offline' | 'ok';
  /** What the server says about itself, as a sentence. Null if it says nothing. */
  reason: string | null;
  /** The time of the last response before the fault, in ms. Null if there was none. */
  heardAt: number | null;
}

/** Whether the server responds. While it does not, it is checked every three seconds. */
export const connection = watched<Connection>({ state: 'ok', reason: null, heardAt: null });

interface Recovery {
  /** Makes a call that succeeds once the server responds again. */
  probe(): Promise<unknown>;
  /** Loads again what could not be loaded. Called once the server works again. */
  onRecovered(): void;
}

let recovery: Recovery | null = null;
const faults = new Set<Fault>();
/** Whether a call has had no response, and no other call has had one since. */
let isSuspect = false;
let heardAt: number | null = null;
let checking: ReturnType<typeof setInterval> | undefined;
let lastCheck: Promise<void> | null = null;

function setFault(fault: Fault, isPresent: boolean, reason = connection.get().reason): void {
  const hasEnded = !isPresent && faults.delete(fault);
  if (isPresent) faults.add(fault);
  const first = FAULTS.find((each) => faults.has(each)) ?? 'ok';
  const state = first === 'away' && !navigator.onLine ? 'offline' : first;
  const before = connection.get();
  if (state !== before.state || reason !== before.reason) connection.set({ state, reason, heardAt });
  if (state === 'ok') {
    clearInterval(checking);
    checking = undefined;
  } else if (checking === undefined) {
    checking = setInterval(() => void check(), CHECK_MS);
    void check();
  }
  if (hasEnded && fault !== 'slow') recovery?.onRecovered();
}

/** Asks the server whether it works. One check runs at a time. */
export function check(): Promise<void> {
  lastCheck ??= ask().finally(() => {
    lastCheck = null;
  });
  return lastCheck;
}

async function ask(): Promise<void> {
  const reason = await readiness();
  // A server on the same machine or network may respond without the internet, so `navigator.onLine` alone means nothing.
  if (reason === undefined) return setFault('away', true, null);
  setFault('unready', reason !== null, reason);
  if (reason !== null) return setFault('away', false);
  if (!isSuspect && !faults.has('away')) return;
  // A proxy may respond to `/readyz` although the server is away. On the other hand, a browser extension may block a single call.
  const isHeard = recovery?.probe().then(
    () => true,
    (error: unknown) => !(error instanceof ServiceAway),
  );
  const late = new Promise<false>((resolve) => {
    setTimeout(resolve, CHECK_MS, false);
  });
  setFault('away', (await Promise.race([isHeard, late])) === false);
}

/**
 * Why the server is not ready. Null if it is ready, undefined if it does not respond. It responds within two seconds even if its database
 * hangs (docs/operate/health.md).
 */
async function readiness(): Promise<string | null | undefined> {
  try {
    const response = await fetch('/readyz', { cache: 'no-store', signal: AbortSignal.timeout(CHECK_MS) });
    if (response.status !== 503) return response.status < 502 ? null : undefined;
    // A proxy in front of the server responds with a page of its own, which is not JSON.
    const { detail } = (await response.json()) as { detail?: string };
    return detail;
  } catch {
    return undefined;
  }
}

window.addEventListener('offline', () => void check());
window.addEventListener('online', () => void check());
// The web client also opens without a network, from the copy on the device.
if (!navigator.onLine) void check();

/** Whether the server did not respond to the last check. */
export const isAway = (): boolean => faults.has('away');

/** Resolves once the server can be reached: at once, or when its absence, which is then shown, has ended. */
export async function reachable(): Promise<void> {
  await check();
  if (!isAway()) return;
  await new Promise<void>((resolve) => {
    const end = connection.subscribe(() => {
      if (isAway()) return;
      end();
      resolve();
    });
  });
}

interface Question {
  /** The ids in the path of the call that waits for the confirmation. */
  path: PathValues;
  finish(isConfirmed: boolean): void;
}

/** The open question for a password, code or passkey; null if no question is open. */
export const question = watched<Question | null>(null);

let hasOtherPages = false;

/**
 * Handles the responses to all calls. @param own the handlers that differ between applications, such as the handler for
 * the end of the session
 */
export function connect({
  probe,
  onRecovered,
  ...own
}: Pick<Handlers, 'onSignedOut' | 'onWeakSignIn'> & Recovery): void {
  recovery = { probe, onRecovered };
  setHandlers({
    ...own,
    confirm(path) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      // Concurrent calls share one question.
      const before = question.get();
      question.set({
        path,
        finish(isConfirmed) {
          before?.finish(isConfirmed);
          resolve(isConfirmed);
          question.set(null);
        },
      });
      return promise;
    },
    onHeard() {
      heardAt = Date.now();
      isSuspect = false;
      setFault('away', false);
    },
    onUnheard() {
      isSuspect = true;
      void check();
    },
    onSlow: (isSlow) => setFault('slow', isSlow),
    onDoubt: () => void check(),
    onOtherPages() {
      hasOtherPages = true;
    },
  });
}

/** Loads the next page from the server if the server has a newer release of the pages. */
export function useCurrentPages(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onBeforeNavigate', ({ toLocation, pathChanged }) => {
        if (pathChanged && hasOtherPages) location.assign(toLocation.publicHref);
      }),
    [router],
  );
}
