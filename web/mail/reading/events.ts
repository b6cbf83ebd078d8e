/** Events of a mailbox while its pages are open: that something has changed, and whether the connection is live. */
import { watched } from '../../ui/watched.ts';

/** Whether changes are received. Null while unknown. */
export const isLive = watched<boolean | null>(null);

/** The time for which a connection may be down before the page shows it and starts polling. */
const PATIENCE_MS = 3_000;
const ASK_MS = 30_000;
const REOPEN_MS = 5_000;
/** The service sends something every 20 seconds. */
const SILENCE_MS = 50_000;

/** A message between tabs. A message without any of these fields means that something has changed. */
interface TabMessage {
  isLive?: boolean | null;
  /** Whether the message is from a new tab, which does not know the state yet. */
  isNew?: boolean;
}

/**
 * Calls `onChange` when something may have changed. One tab listens for all tabs of the browser, because an open
 * connection uses one of the six that browsers allow per host.
 */
export function listen(mailbox: string, onChange: () => void): () => void {
  const end = new AbortController();
  const channel = new BroadcastChannel(`posthorn-mail-${mailbox}`);
  const broadcast = (what: TabMessage) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none: it reaches its own origin alone
    channel.postMessage(what);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.isNew === true) broadcast({ isLive: isLive.get() });
    else if (data.isLive === undefined) onChange();
    else if (data.isLive !== null) setLive(data.isLive);
  });
  broadcast({ isNew: true });
  const setLive = (isNow: boolean): void => {
    const wasLive = isLive.get();
    isLive.set(isNow);
    // Fetches changes that were missed in the meantime.
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
  // Without TLS browsers have no locks, so each tab listens itself.
  if ('locks' in navigator)
    void navigator.locks
      .request(`posthorn-mail-${mailbox}`, { signal: end.signal }, lead)
      .catch(() => undefined);
  else void lead();
  const asking = setInterval(() => isLive.get() === false && navigator.onLine && onChange(), ASK_MS);
  return () => {
    end.abort();
    channel.close();
    clearInterval(asking);
    isLive.set(null);
  };
}

interface ConnectionEvents {
  onChange(): void;
  onLive(isLive: boolean): void;
}

/** Opens the connection, and opens it again whenever it ends. */
function open(mailbox: string, { onChange, onLive }: ConnectionEvents): () => void {
  const end = new AbortController();
  let source: EventSource | undefined;
  let patience: ReturnType<typeof setTimeout> | undefined;
  let next: ReturnType<typeof setTimeout> | undefined;
  let isFirst = true;
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
      // Fetches changes that were missed in the meantime, whatever the reason for reopening.
      if (!isFirst) onChange();
      isFirst = false;
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
      // The browser reconnects by itself, unless the response was not an event stream. The next request then shows the
      // reason.
      if (now.readyState === EventSource.CLOSED) onChange();
    });
  }
  begin();
  window.addEventListener('online', begin, { signal: end.signal });
  // Browsers keep connections open that are already dead.
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
