import { type SyntheticEvent, useRef, useState } from 'react';
import type { MailMessage } from '../../../../src/contract/mail/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { InfoIcon } from '../../../ui/icons.tsx';
import { isDark } from '../../../ui/theme.ts';
import { useWatched } from '../../../ui/watched.ts';
import { useMailbox } from '../../shell/session.ts';
import { messageUrl } from './message-url.ts';
import { QuoteButton } from './quote-button.tsx';
import { RemoteBar } from './remote-bar.tsx';
import { useMessageFrame } from './use-message-frame.ts';

export interface HtmlBodyProps {
  message: MailMessage;
  /** Whether this is the only message in the pane. */
  isOnly: boolean;
  /** Whether the HTML keeps its own colors in a dark theme. */
  isAsSent: boolean;
  /** Whether remote images are shown. */
  showsRemote: boolean;
  onShowRemote(): void;
}

interface Loading {
  /** Whether the service responded that it is overloaded. */
  hasFailed: boolean;
  /** The key of the frame element. A retry needs a new key, because a frame does not reload for the same URL. */
  tries: number;
  tryAgain(): void;
  onLoad(event: SyntheticEvent<HTMLIFrameElement>): void;
}

const UNKNOWN_PX = 480;

/**
 * HTML in a frame with an opaque origin. The only script that the frame runs reports the height of the content, so that the message stands
 * in the page at its full height (docs/decisions/0154-height.md).
 */
export function HtmlBody({ message, isOnly, isAsSent, showsRemote, onShowRemote }: HtmlBodyProps) {
  const { mailbox } = useMailbox();
  const isDarkNow = useWatched(isDark);
  const theme = !isDarkNow ? 'light' : message.html_dark && !isAsSent ? 'dark' : 'sheet';
  // The frame is transparent only if the page around it has the same color scheme.
  const colorScheme = theme === 'dark' ? 'dark' : 'light';
  const frame = useRef<HTMLIFrameElement>(null);
  const [isWhole, setIsWhole] = useState(false);
  const [fits, setFits] = useState(true);
  const [showsQuote, setShowsQuote] = useState(false);
  const foldedHeight = showsQuote ? null : message.html_folded_height;
  const query = new URLSearchParams({
    theme,
    remote: showsRemote ? '1' : '0',
    ...(foldedHeight !== null && { quote: '0' }),
    ...(message.part != null && { part: message.part }),
  });
  const src = messageUrl(mailbox, message.id, `html?${query}`);
  const { hasFailed, tries, tryAgain, onLoad } = useLoading(src);
  const key = `${src} ${window.innerWidth}`;
  const { height, zoom, isCut } = useMessageFrame(frame, { key, fits, isWhole });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {message.remote.count > 0 && !showsRemote && <RemoteBar message={message} onShow={onShowRemote} />}
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
        ref={frame}
        onLoad={onLoad}
        title="Message"
        sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        // Attack: a conversation with a hundred messages, each of which keeps the browser busy. Therefore, frames out of view are not
        // loaded.
        loading={isOnly ? 'eager' : 'lazy'}
        src={src}
        style={{ colorScheme, height: height ?? foldedHeight ?? message.html_height ?? UNKNOWN_PX }}
        className="block w-full rounded-md focus-visible:outline-2 focus-visible:outline-accent"
      />
      {message.html_folded_height !== null && (
        <QuoteButton isOpen={showsQuote} onClick={() => setShowsQuote(!showsQuote)} />
      )}
      {(zoom < 1 || !fits) && (
        <Button kind="quiet" className="mx-auto" onClick={() => setFits(!fits)}>
          {fits ? 'Show at full size' : 'Fit to width'}
        </Button>
      )}
      {isCut && (
        <Button kind="quiet" className="mx-auto" onClick={() => setIsWhole(true)}>
          Show full message
        </Button>
      )}
    </div>
  );
}

/**
 * The state of a frame whose content this page must not read. The page can only read the number of frames inside: a
 * message contains no frames, and the page that the service sends when it is overloaded contains one.
 */
function useLoading(src: string): Loading {
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
