import {
  memo,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import { RefreshIcon } from '../../../ui/icons.tsx';
import { ScrolledList } from '../../../ui/long-list/scrolled-list.ts';
import { pageHeight } from '../../../ui/long-list/stretch.ts';
import type { Listing } from '../../reading/use-listing.ts';
import { CARD_HEIGHT, ConversationLine, LINE_HEIGHT, type RowProps } from './row.tsx';
import { RowSkeleton } from './row-skeleton.tsx';
import { type Side, SWIPE_ICONS, type Swipes } from './swipes.ts';
import { useHasLines } from './use-media.ts';
import { usePull } from './use-pull.ts';
import { useSwipe } from './use-swipe.ts';

export interface ListHandle {
  /** Scrolls to a row. If `focus` is true, the row also gets the keyboard focus. */
  show(index: number, focus: boolean): void;
}

interface ConversationListProps {
  listing: Listing;
  handle: RefObject<ListHandle | null>;
  cursor: number;
  propsOf(row: ConversationRow): Omit<RowProps, 'row' | 'index' | 'isLine' | 'isCursor'>;
  swipes: Swipes;
  /** Called after a swipe. Pass the same function at every render. */
  onSwipe(row: ConversationRow, side: Side): void;
  onRefresh(): void;
}

/** After scrolling to a row: how many frames to wait until the row is rendered. */
const TRIES = 20;

/** The list of conversations. Only the rows in view are rendered. */
export function ConversationList(props: ConversationListProps) {
  const { listing, handle, cursor, propsOf, swipes, onSwipe, onRefresh } = props;
  const { rows } = listing;
  const scroller = useRef<HTMLDivElement>(null);
  const sign = useRef<HTMLDivElement>(null);
  const isLine = useHasLines();
  const height = isLine ? LINE_HEIGHT : CARD_HEIGHT;
  const [scrolled] = useState(
    () => new ScrolledList(() => ({ element: scroller.current ?? document.documentElement, bar: 0 })),
  );
  const { count } = rows;
  const { first, last, shift } = useSyncExternalStore(scrolled.subscribe, scrolled.seen);
  const sized = useRef({ count: -1, height });
  useLayoutEffect(() => {
    const moves = rows.takeMoves();
    // Return early, because reading positions makes the browser lay out all new elements.
    if (moves.length === 0 && sized.current.count === count && sized.current.height === height) return;
    sized.current = { count, height };
    scrolled.setSize({ count, height, margin: 0 });
    // If the user has scrolled down, the rows in view stay where they are. If the list is at its top, new rows push them down.
    const above = moves.filter(({ at }) => at < scrolled.top);
    const by = above.reduce((sum, move) => sum + move.by, 0);
    if (by !== 0 && scrolled.top > 0) scrolled.shiftBy(by);
  });
  useEffect(() => {
    if (!listing.isOld && last >= first) rows.setVisibleRange(first, last);
  });
  usePull(scroller, sign, onRefresh);
  useImperativeHandle(
    handle,
    () => ({
      show(index, focus) {
        scrolled.showRow(index);
        if (focus) focusRow(index);
      },
    }),
    [scrolled],
  );
  const shown = Math.max(0, Math.min(last, count - 1) - first + 1);
  return (
    <div
      ref={scroller}
      data-scroller
      className="relative min-h-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain"
    >
      <div ref={sign} aria-hidden="true" className="grid h-0 place-items-center overflow-hidden text-muted">
        <RefreshIcon />
      </div>
      <div
        role="list"
        aria-label="Conversations"
        aria-busy={listing.isOld}
        className={listing.isOld ? 'relative opacity-60' : 'relative'}
        style={{ height: pageHeight(count * height) }}
      >
        {Array.from({ length: shown }, (_, at) => {
          const index = first + at;
          const row = rows.at(index);
          return (
            <div
              key={row?.id ?? index}
              role="listitem"
              aria-setsize={count}
              aria-posinset={index + 1}
              data-row={index}
              className="absolute inset-x-0 top-0"
              style={{ height, transform: `translateY(${index * height + shift}px)` }}
            >
              {row === undefined ? (
                <RowSkeleton isLine={isLine} />
              ) : (
                <SwipedLine
                  row={row}
                  index={index}
                  isLine={isLine}
                  swipes={swipes}
                  onSwipe={onSwipe}
                  isCursor={index === cursor}
                  {...propsOf(row)}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface SwipedLineProps extends RowProps {
  swipes: Swipes;
  onSwipe(row: ConversationRow, side: Side): void;
}

const SwipedLine = memo(function SwipedLine({ swipes, onSwipe, ...props }: SwipedLineProps) {
  const element = useRef<HTMLDivElement>(null);
  useSwipe(element, swipes, (side) => onSwipe(props.row, side));
  const Left = swipes.left && SWIPE_ICONS[swipes.left];
  const Right = swipes.right && SWIPE_ICONS[swipes.right];
  return (
    <div ref={element} className="group/swipe relative h-full touch-pan-y overflow-hidden">
      <div
        aria-hidden="true"
        className="invisible absolute inset-0 flex items-center justify-between bg-info-soft px-6 text-accent group-data-[swipe=left]/swipe:visible group-data-[swipe=right]/swipe:visible"
      >
        {Right === undefined ? <span /> : <Right className="group-data-[swipe=left]/swipe:invisible" />}
        {Left === undefined ? <span /> : <Left className="group-data-[swipe=right]/swipe:invisible" />}
      </div>
      <div className="relative h-full">
        <ConversationLine {...props} />
      </div>
    </div>
  );
});

function focusRow(index: number): void {
  let tries = 0;
  const attempt = (): void => {
    const link = document.querySelector<HTMLElement>(`[data-row="${index}"] a`);
    if (link !== null) link.focus({ preventScroll: true });
    else if (tries++ < TRIES) requestAnimationFrame(attempt);
  };
  attempt();
}
