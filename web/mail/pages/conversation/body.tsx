import { useSyncExternalStore } from 'react';
import { InfoIcon } from '../../../ui/icons.tsx';
import { HtmlBody, type HtmlBodyProps } from './html-body.tsx';
import { TextBody } from './text-body.tsx';

export interface BodyProps extends HtmlBodyProps {
  /** Whether text is shown in a fixed-width font. */
  isFixedWidth: boolean;
}

export function Body(props: BodyProps) {
  const isOnline = useOnline();
  const { message, isFixedWidth } = props;
  if (message.has_html && isOnline) return <HtmlBody {...props} />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-3">
      {message.html_problem !== null && (
        <p role="note" className="flex items-start gap-2 rounded-md bg-sunken px-3 py-2 text-sm text-muted">
          <InfoIcon className="mt-0.5" />
          {message.html_problem}
        </p>
      )}
      <TextBody message={message} isFixedWidth={isFixedWidth} />
    </div>
  );
}

/**
 * HTML in a frame without scripts and with an opaque origin. The page cannot read the height of the content, and the
 * content cannot report its height, so the service estimates the height. Taller messages scroll in the frame.
 */
function HtmlBody({ message, isOnly, showsRemote, onShowRemote }: BodyProps) {
  const { mailbox } = useMailbox();
  const isDarkNow = useWatched(isDark);
  const [isTall, setIsTall] = useState(false);
  const [showsQuote, setShowsQuote] = useState(false);
  const foldedHeight = showsQuote ? null : message.html_folded_height;
  const query = new URLSearchParams({
    theme: isDarkNow ? 'dark' : 'light',
    remote: showsRemote ? '1' : '0',
    ...(foldedHeight !== null && { quote: '0' }),
    ...(message.part != null && { part: message.part }),
  });
  const src = messageUrl(mailbox, message.id, `html?${query}`);
  const { hasFailed, tries, tryAgain, onLoad } = useFrame(src);
  const height = heightIn(window.innerWidth, foldedHeight ?? message.html_height ?? UNKNOWN_PX);
  return (
    <div
      className={classes(
        'grid grid-cols-[minmax(0,1fr)] gap-2',
        isOnly && 'min-h-80 grid-rows-[auto_minmax(0,1fr)_auto_auto]',
      )}
    >
      {message.remote.count > 0 && !showsRemote ? (
        <RemoteBar message={message} onShow={onShowRemote} />
      ) : (
        <span hidden />
      )}
      {hasFailed && (
        <div
          role="alert"
          className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-sunken px-3 py-2 text-sm"
        >
          <p className="flex min-w-60 flex-1 items-start gap-2 text-muted">
            <InfoIcon className="mt-0.5" />
            The server is too busy to show this message. Try again in a moment.
          </p>
          <Button onClick={tryAgain}>Try again</Button>
        </div>
      )}
      <iframe
        key={tries}
        hidden={hasFailed}
        onLoad={onLoad}
        title="Message"
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        // Attack: a conversation with a hundred messages, each of which keeps the browser busy. Therefore, frames out of view are not
        // loaded.
        loading="lazy"
        src={src}
        style={
          isOnly && !isTall
            ? { minHeight: `min(${height}px, 60vh)` }
            : { height: isTall ? '200vh' : `min(${height}px, 75vh)` }
        }
        className="block h-full w-full rounded-md bg-page focus-visible:outline-2 focus-visible:outline-accent"
      />
      {message.html_folded_height !== null && (
        <QuoteButton isOpen={showsQuote} onClick={() => setShowsQuote(!showsQuote)} />
      )}
      {height > window.innerHeight * 0.75 && (
        <Button kind="quiet" className="mx-auto" aria-pressed={isTall} onClick={() => setIsTall(!isTall)}>
          {isTall ? 'Show less' : 'Show full message'}
        </Button>
      )}
    </div>
  );
}

const LEAST_PX = 64;
const UNKNOWN_PX = 480;
/** The frame width for which the service estimates the height. */
const RECKONED_WIDTH_PX = 700;

/** The estimated height for a frame width. In a narrower frame, lines break more often. */
function heightIn(width: number, reckoned: number): number {
  const narrow = Math.max(1, RECKONED_WIDTH_PX / width);
  return LEAST_PX + Math.max(0, Math.round((reckoned - LEAST_PX) * narrow));
}

function RemoteBar({ message, onShow }: { message: MailMessage; onShow(): void }) {
  const { mailbox, access } = useMailbox();
  const queries = useQueryClient();
  const sender = message.from[0]?.address;
  const trust = useMutation({
    mutationFn: (address: string) =>
      dataOf(
        api.PUT('/mailboxes/{mailbox}/trusted-senders', {
          params: { path: { mailbox } },
          body: { address },
        }),
      ),
    onSuccess: async () => {
      onShow();
      await queries.invalidateQueries({ queryKey: messageQuery(mailbox, message.id).queryKey });
    },
  });
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md bg-sunken px-3 py-2 text-sm">
      <p className="flex min-w-60 flex-1 items-start gap-2 text-muted">
        <ImageIcon className="mt-0.5" />
        {counted(message.remote.count, 'remote image')} blocked so that the sender cannot see that you read
        this message.
      </p>
      <Button onClick={onShow}>Show remote content</Button>
      {access === 'owner' && sender !== undefined && message.remote.may_trust && (
        <Button
          kind="quiet"
          className="max-w-full min-w-0 shrink"
          title={`Always show images from ${shownAddress(sender)}`}
          isBusy={trust.isPending}
          onClick={() => trust.mutate(sender)}
        >
          <span className="truncate">Always show images from {shownAddress(sender)}</span>
        </Button>
      )}
    </div>
  );
}

/**
 * The state of a frame whose content this page must not read. The page can only read the number of frames inside: a
 * message contains no frames, and the page that the service sends when it is overloaded contains one.
 */
function useFrame(src: string): Frame {
  const [failed, setFailed] = useState<string | null>(null);
  const [tries, setTries] = useState(0);
  return {
    hasFailed: failed === src,
    tries,
    tryAgain() {
      setFailed(null);
      setTries(tries + 1);
    },
    onLoad({ currentTarget: { contentWindow } }) {
      if ((contentWindow?.length ?? 0) > 0) setFailed(src);
    },
  };
}

/** False if the browser is offline. Frames then cannot load, so stored text is shown instead. */
function useOnline(): boolean {
  return useSyncExternalStore(
    (listener) => {
      window.addEventListener('online', listener);
      window.addEventListener('offline', listener);
      return () => {
        window.removeEventListener('online', listener);
        window.removeEventListener('offline', listener);
      };
    },
    () => navigator.onLine,
  );
}
