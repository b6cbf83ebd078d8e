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
