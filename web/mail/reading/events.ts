/** Events of a mailbox while its pages are open: changes to the mailbox, and the state of the connection. */
import { type Watched, watched } from '../../ui/watched.ts';

/** Whether the page receives changes. Null while unknown. */
export const isLive = watched<boolean | null>(null);

/** How long the connection may be down before the page shows a notice and starts polling. */
const PATIENCE_MS = 3_000;
const ASK_MS = 30_000;
const REOPEN_MS = 5_000;
/** After this time without data the connection is considered dead, because the service sends data every 20 seconds. */
const SILENCE_MS = 50_000;

/** A message between tabs. A message without any of these fields means that something has changed. */
interface TabMessage {
  isLive?: boolean | null;
  /** Whether the message is from a new tab, which needs the current state. */
  isNew?: boolean;
}

/**
 * Calls `onChange` when something may have changed, and keeps `live` current. One tab listens for all tabs of the browser, because an open
 * connection uses one of the six connections that browsers allow per host.
 */
export function listen(
  mailbox: string,
  onChange: () => void,
  live: Watched<boolean | null> = isLive,
): () => void {
  const end = new AbortController();
  const channel = new BroadcastChannel(`posthorn-mail-${mailbox}`);
  const broadcast = (what: TabMessage) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none: it reaches its own origin alone
    channel.postMessage(what);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.isNew === true) broadcast({ isLive: live.get() });
    else if (data.isLive === undefined) onChange();
    else if (data.isLive !== null) setLive(data.isLive);
  });
  broadcast({ isNew: true });
  const setLive = (isNow: boolean): void => {
    const wasLive = live.get();
    live.set(isNow);
    // Fetch changes that were missed while the connection was down.
    if (isNow && wasLive === false) onChange();
  };
  const lead = () =>
    new Promise<void>((resolve) => {
      const close = open(mailbox, {
        onChange() {
          broadcast({});
          onChange();
        },
        onLive(isNow) {
          broadcast({ isLive: isNow });
          setLive(isNow);
        },
      });
      end.signal.addEventListener('abort', () => {
        close();
        resolve();
      });
    });
  // Without TLS browsers have no locks, so each tab has its own connection.
  if ('locks' in navigator)
    void navigator.locks
      .request(`posthorn-mail-${mailbox}`, { signal: end.signal }, lead)
      .catch(() => undefined);
  else void lead();
  const asking = setInterval(() => live.get() === false && navigator.onLine && onChange(), ASK_MS);
  return () => {
    end.abort();
    channel.close();
    clearInterval(asking);
    live.set(null);
  };
}

interface ConnectionEvents {
  onChange(): void;
  onLive(isLive: boolean): void;
}

/** Opens the connection, then reopens it whenever it ends. */
function open(mailbox: string, { onChange, onLive }: ConnectionEvents): () => void {
  const end = new AbortController();
  let source: EventSource | undefined;
  let patience: ReturnType<typeof setTimeout> | undefined;
  let next: ReturnType<typeof setTimeout> | undefined;
  const beginIn = (ms: number): void => {
    clearTimeout(next);
    next = setTimeout(begin, ms);
  };
  const lost = (): void => {
    patience ??= setTimeout(() => onLive(false), PATIENCE_MS);
  };
  function begin(): void {
    source?.close();
    const now = new EventSource(`/mail/api/mailboxes/${mailbox}/events`);
    source = now;
    now.addEventListener('open', () => {
      clearTimeout(patience);
      patience = undefined;
      // Fetch changes that were missed before the connection was open.
      onChange();
      beginIn(SILENCE_MS);
      onLive(true);
    });
    now.addEventListener('change', () => {
      beginIn(SILENCE_MS);
      onChange();
    });
    now.addEventListener('heartbeat', () => beginIn(SILENCE_MS));
    now.addEventListener('error', () => {
      if (source !== now) return;
      lost();
      beginIn(REOPEN_MS);
      // The browser reconnects by itself, except after a response that is not an event stream. In this case `onChange` makes a request
      // whose response shows the reason.
      if (now.readyState === EventSource.CLOSED) onChange();
    });
  }
  begin();
  window.addEventListener('online', begin, { signal: end.signal });
  // Browsers keep dead connections open, so the connection is closed when the network is lost.
  const onOffline = (): void => {
    source?.close();
    clearTimeout(next);
    lost();
  };
  window.addEventListener('offline', onOffline, { signal: end.signal });
  return () => {
    end.abort();
    source?.close();
    clearTimeout(patience);
    clearTimeout(next);
  };
}
