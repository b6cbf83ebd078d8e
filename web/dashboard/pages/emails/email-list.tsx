import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '../../../ui/button.tsx';
import { EmailRow, NARROW_HEIGHT, WIDE_HEIGHT } from './email-row.tsx';
import { withValue } from './query-text.ts';
import { RowSkeleton } from './row-skeletons.tsx';
import { MAX_ROWS, type useLog } from './use-log.ts';
import { useRowKeys } from './use-row-keys.ts';

/** Rows that are there below what is seen, before the next page is asked for. */
const AHEAD = 600;
const SKELETONS = 8;
/** Who has scrolled no further sees new rows as they come. */
const TOP_PX = 80;

const wide = matchMedia('(min-width: 40rem)');

function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      wide.addEventListener('change', listener);
      return () => wide.removeEventListener('change', listener);
    },
    () => wide.matches,
  );
}

interface EmailListProps {
  q: string;
  log: ReturnType<typeof useLog>;
  onSearch(q: string): void;
}

/** Of all rows only those in sight are in the page. */
export function EmailList({ q, log, onSearch }: EmailListProps) {
  const { rows, waiting, showWaiting, hasMore, isFetchingMore, fetchMore } = log;
  const list = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const height = useIsWide() ? WIDE_HEIGHT : NARROW_HEIGHT;
  // What stands above may come and go: a fault of the search, a note.
  useLayoutEffect(() => {
    const content = list.current?.closest('main');
    if (content == null) return undefined;
    const observer = new ResizeObserver(() =>
      setMargin((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY),
    );
    observer.observe(content);
    return () => observer.disconnect();
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length + (hasMore ? SKELETONS : 0),
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: margin,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  useEffect(() => virtualizer.measure(), [virtualizer, height]);
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isFetchingMore && last > rows.length - AHEAD) fetchMore();
  });
  useEffect(() => {
    if (waiting > 0 && window.scrollY < TOP_PX) showWaiting();
  });
  useRowKeys(rows.length, (index) => virtualizer.scrollToIndex(index, { align: 'auto' }));
  return (
    <>
      <p role="status" className={log.isComplete ? 'sr-only' : 'mb-2 text-sm text-muted'}>
        {!log.isComplete && 'Emails are still being indexed: there may be more than these.'}
      </p>
      <NewRows count={waiting} isMore={log.hasMoreWaiting} onShow={showWaiting} />
      <div
        ref={list}
        role="list"
        aria-label="Emails"
        aria-busy={log.isOld}
        className="relative border-t border-line"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {items.map(({ key, index, start }) => {
          const email = rows[index];
          return (
            <div
              key={key}
              role="listitem"
              aria-setsize={hasMore ? -1 : rows.length}
              aria-posinset={index + 1}
              data-email-row={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start - margin}px)` }}
            >
              {email === undefined ? <RowSkeleton /> : <EmailRow email={email} />}
            </div>
          );
        })}
      </div>
      {rows.length >= MAX_ROWS && (
        <p className="py-4 text-center">
          <Button onClick={() => onSearch(withValue(q, 'until', rows.at(-1)?.created_at ?? ''))}>
            Go on with older emails
          </Button>
        </p>
      )}
    </>
  );
}

/** What has come while somebody reads further down: the rows that they read do not move. */
function NewRows({ count, isMore, onShow }: { count: number; isMore: boolean; onShow(): void }) {
  const show = () => {
    onShow();
    window.scrollTo({ top: 0 });
  };
  return (
    <div role="status" className="sticky top-16 z-10 flex h-0 justify-center">
      {count > 0 && window.scrollY >= TOP_PX && (
        <Button kind="primary" className="shadow-high" onClick={show}>
          {count === 1 && !isMore
            ? '1 new email'
            : `${count.toLocaleString('en')}${isMore ? '+' : ''} new emails`}
        </Button>
      )}
    </div>
  );
}
