import {
  memo,
  type RefObject,
  type UIEvent,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import { classes } from '../../../ui/classes.ts';
import { RefreshIcon } from '../../../ui/icons.tsx';
import { ScrolledList } from '../../../ui/long-list/scrolled-list.ts';
import { pageHeight } from '../../../ui/long-list/stretch.ts';
import type { Listing } from '../../reading/use-listing.ts';
import { today } from '../../reading/dates.ts';
import { layout } from '../../reading/layout.ts';
import { useWatched } from '../../../ui/watched.ts';
import { type Group, groupsOf, HEADING_HEIGHT } from './groups.ts';
import { ConversationLine } from './row.tsx';
import type { RowProps } from './row-props.ts';
import { RowSkeleton } from './row-skeleton.tsx';
import { type Side, type Swipe, SWIPE_COLORS, SWIPE_ICONS, type Swipes } from './swipes.ts';
import { type RowShape, useRowShape } from './use-media.ts';
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
  propsOf(row: ConversationRow): Omit<RowProps, 'row' | 'index' | 'isLine' | 'isCompact' | 'isCursor'>;
  swipes: Swipes;
  /** Called after a swipe. Pass the same function at every render. */
  onSwipe(row: ConversationRow, side: Side): void;
  onRefresh(): void;
  onScroll(event: UIEvent<HTMLElement>): void;
}

/** After scrolling to a row: how many frames to wait until the row is rendered. */
const TRIES = 20;

/** The list of conversations. Only the rows in view are rendered. */
export function ConversationList(props: ConversationListProps) {
  const { listing, handle, cursor, propsOf, swipes, onSwipe, onRefresh, onScroll } = props;
  const { rows } = listing;
  const scroller = useRef<HTMLDivElement>(null);
  const sign = useRef<HTMLDivElement>(null);
  const shape = useRowShape();
  const { height } = shape;
  const groups = useGroups(listing);
  const [scrolled] = useState(
    () => new ScrolledList(() => ({ element: scroller.current ?? document.documentElement, bar: 0 })),
  );
  const { count } = rows;
  const { first, last, shift } = useSyncExternalStore(scrolled.subscribe, scrolled.seen);
  const sized = useRef({ count: -1, height, groups });
  useLayoutEffect(() => {
    const moves = rows.takeMoves();
    // Return early, because reading positions makes the browser lay out all new elements.
    const { current } = sized;
    if (
      moves.length === 0 &&
      current.count === count &&
      current.height === height &&
      current.groups === groups
    )
      return;
    sized.current = { count, height, groups };
    scrolled.setSize({
      count,
      height,
      margin: 0,
      headings: groups.map(({ at }) => at),
      headingHeight: HEADING_HEIGHT,
    });
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
      onScroll={onScroll}
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
        style={{ height: pageHeight(count * height + groups.length * HEADING_HEIGHT) }}
      >
        {Array.from({ length: shown }, (_, at) => {
          const index = first + at;
          const row = rows.at(index);
          const group = groups.find((each) => each.at === index);
          const above = groups.filter((each) => each.at < index).length * HEADING_HEIGHT;
          return (
            <div
              key={row?.id ?? index}
              role="listitem"
              aria-setsize={count}
              aria-posinset={index + 1}
              data-row={index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${index * height + above + shift}px)` }}
            >
              {group !== undefined && <GroupHeading name={group.name} />}
              {row === undefined ? (
                <RowSkeleton {...shape} />
              ) : (
                <SwipedLine
                  row={row}
                  index={index}
                  {...shape}
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

const NO_GROUPS: readonly Group[] = [];

/** The headings of a folder that is sorted by date. Search results are not, because they are sorted by their matches. */
function useGroups({ rows, folder, view }: Listing): readonly Group[] {
  const { hasGroups } = useWatched(layout);
  const isGrouped = hasGroups && folder !== undefined && (view.sort ?? 'oldest') === 'oldest';
  const version = rows.version();
  const day = today();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the rows change with their version, the groups with the day
  const found = useMemo(() => (isGrouped ? groupsOf(rows) : NO_GROUPS), [isGrouped, rows, version, day]);
  const [kept, setKept] = useState(found);
  // The same headings keep their identity, so that the list is not measured again.
  const isSame =
    kept.length === found.length &&
    kept.every(({ at, name }, n) => found[n]?.at === at && found[n].name === name);
  if (isSame) return kept;
  setKept(found);
  return found;
}

function GroupHeading({ name }: { name: string }) {
  return (
    <h2
      className="flex items-end bg-page px-3 pb-0.5 text-xs font-medium text-muted"
      style={{ height: HEADING_HEIGHT }}
    >
      {name}
    </h2>
  );
}

interface SwipedLineProps extends RowProps, Pick<RowShape, 'height'> {
  swipes: Swipes;
  onSwipe(row: ConversationRow, side: Side): void;
}

const SwipedLine = memo(function SwipedLine({ swipes, onSwipe, height, ...props }: SwipedLineProps) {
  const element = useRef<HTMLDivElement>(null);
  useSwipe(element, {
    swipes,
    onSwipe: (side) => onSwipe(props.row, side),
    onLongPress: () => props.on.choose(props.index, false),
  });
  return (
    <div
      ref={element}
      className="group/swipe relative touch-pan-y overflow-hidden [-webkit-touch-callout:none]"
      style={{ height }}
    >
      <SwipeSide swipe={swipes.right} className="justify-start group-data-[swipe=right]/swipe:visible" />
      <SwipeSide swipe={swipes.left} className="justify-end group-data-[swipe=left]/swipe:visible" />
      <div className="relative h-full">
        <ConversationLine {...props} />
      </div>
    </div>
  );
});

/** The area that appears behind a row that is swiped to one side. */
function SwipeSide({ swipe, className }: { swipe: Swipe | undefined; className: string }) {
  const Icon = swipe && SWIPE_ICONS[swipe];
  return (
    <div
      aria-hidden="true"
      className={classes(
        'invisible absolute inset-0 flex items-center px-6',
        (swipe && SWIPE_COLORS[swipe]) ?? 'bg-info-soft text-accent',
        className,
      )}
    >
      {Icon && <Icon />}
    </div>
  );
}

function focusRow(index: number): void {
  let tries = 0;
  const attempt = (): void => {
    const link = document.querySelector<HTMLElement>(`[data-row="${index}"] a`);
    if (link !== null) link.focus({ preventScroll: true });
    else if (tries++ < TRIES) requestAnimationFrame(attempt);
  };
  attempt();
}
