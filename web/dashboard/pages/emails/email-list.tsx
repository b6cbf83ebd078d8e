import { Suspense, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useProject } from '../../shell/session.ts';
import { lazyPart } from '../../../shell/code.ts';
import { useKeys } from '../../../shell/keys.ts';
import { Button } from '../../../ui/button.tsx';
import { ScrolledList } from '../../../ui/long-list/scrolled-list.ts';
import { pageHeight } from '../../../ui/long-list/stretch.ts';
import { EmailHeads, EmailRow, HEADS_HEIGHT, NARROW_HEIGHT, WIDE_HEIGHT } from './email-row.tsx';
import { RowSkeleton } from './row-skeletons.tsx';
import type { useLog } from './use-log.ts';
import { type Selection, useSelection } from './use-selection.ts';
import { type Total, useTotal } from './use-total.ts';
import { number } from '../../../ui/amounts.ts';

const SelectionBar = lazyPart(async () => ({ default: (await import('./selection-bar.tsx')).SelectionBar }));

/** After scrolling to a row: how many frames to wait until the row is rendered. */
const TRIES = 10;

const SKELETONS = 8;
/** While the list is scrolled down by fewer pixels than this, new rows are inserted at once. */
const TOP_PX = 80;
/** The height of the top bar, in pixels. */
const BAR_PX = 52;
const wide = matchMedia('(min-width: 40rem)');

const page = {
  element: document.documentElement,
  get bar() {
    return BAR_PX + (wide.matches ? HEADS_HEIGHT : 0);
  },
};

function useIsWide(): boolean {
  return useSyncExternalStore(
    (listener) => {
      wide.addEventListener('change', listener);
      return () => wide.removeEventListener('change', listener);
    },
    () => wide.matches,
  );
}

/** The list of emails. Only the rows in view are rendered. */
export function EmailList({ q, log }: { q: string; log: ReturnType<typeof useLog> }) {
  const { count, waiting, showWaiting, hasMore } = log;
  const list = useRef<HTMLDivElement>(null);
  const [margin, setMargin] = useState(0);
  const height = useIsWide() ? WIDE_HEIGHT : NARROW_HEIGHT;
  // The margin changes when content above the list appears or disappears, such as a search error or a note.
  useLayoutEffect(() => {
    const content = list.current?.closest('main');
    if (content == null) return undefined;
    const observer = new ResizeObserver(() =>
      setMargin((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY),
    );
    observer.observe(content);
    return () => observer.disconnect();
  }, []);
  const total = useTotal(q, log);
  const { id: project } = useProject();
  const selection = useSelection(`${project} ${q}`, log);
  const places = count + (hasMore ? SKELETONS : 0);
  const [scrolled] = useState(() => new ScrolledList(() => page));
  useLayoutEffect(
    () => scrolled.setSize({ count: places, height, margin }),
    [scrolled, places, height, margin],
  );
  const { first, last, shift } = useSyncExternalStore(scrolled.subscribe, scrolled.seen);
  useEffect(() => {
    if (!log.isOld && last >= first) log.setVisibleRange(first, last);
  });
  useEffect(() => {
    if (waiting > 0 && window.scrollY < TOP_PX) showWaiting();
  });
  useRowKeys(count, (index) => scrolled.showRow(index), selection);
  const shown = Math.max(0, Math.min(last, places - 1) - first + 1);
  return (
    <>
      <p className="mb-1 min-h-5 text-sm text-muted">
        {total !== null && <span className="tabular-nums">{totalText(total)}</span>}
        <span role="status">
          {!log.isComplete &&
            `${total === null ? '' : ' – '}Emails are still being indexed. There may be more results.`}
        </span>
        {/* Always mounted, because screen readers announce only changes. */}
        <span role="status" className="sr-only">
          {selection.emails.length > 0 && `${number(selection.emails.length)} selected`}
        </span>
      </p>
      <NewRows count={waiting} isMore={log.hasMoreWaiting} onShow={showWaiting} />
      {selection.emails.length > 0 && (
        <Suspense fallback={null}>
          <SelectionBar selection={selection} log={log} />
        </Suspense>
      )}
      <div
        role="table"
        aria-label="Emails"
        aria-rowcount={total === null || total.isMore ? -1 : total.emails + 1}
        aria-busy={log.isOld}
        // On phones the selection bar covers the end of the page.
        className={selection.emails.length > 0 ? 'max-sm:mb-24' : undefined}
      >
        <div role="rowgroup" className="border-line bg-page sm:sticky sm:top-13 sm:z-5 sm:border-b">
          <EmailHeads />
        </div>
        <div
          ref={list}
          role="rowgroup"
          className="relative border-line max-sm:border-t"
          style={{ height: pageHeight(places * height) }}
        >
          {Array.from({ length: shown }, (_, at) => {
            const index = first + at;
            const email = log.rowAt(index);
            return (
              <div
                key={email?.id ?? index}
                role="row"
                aria-rowindex={index + 2}
                data-email-row={index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${index * height + shift}px)` }}
              >
                {email === undefined ? (
                  <div role="cell">
                    <RowSkeleton />
                  </div>
                ) : (
                  <EmailRow
                    email={email}
                    isSelected={selection.has(email.id)}
                    onSelect={(isRange) => selection.toggle(index, isRange)}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

/** A button that inserts new emails on request. Inserting them at once would move the rows that the user is reading further down. */
function NewRows({ count, isMore, onShow }: { count: number; isMore: boolean; onShow(): void }) {
  const show = () => {
    onShow();
    window.scrollTo({ top: 0 });
  };
  return (
    <div role="status" className="sticky top-16 z-10 flex h-0 justify-center sm:top-25">
      {count > 0 && window.scrollY >= TOP_PX && (
        <Button kind="primary" className="shadow-high" onClick={show}>
          {countText(count, isMore, 'new email')}
        </Button>
      )}
    </div>
  );
}

/** "34 recipients in 33 emails" for a search by outcome or provider, otherwise "33 emails". */
function totalText({ emails, recipients, isMore }: Total): string {
  const inEmails = countText(emails, isMore, 'email');
  return recipients === null ? inEmails : `${countText(recipients, isMore, 'recipient')} in ${inEmails}`;
}

/** "1 email", "355 emails" or "10,000+ emails". */
function countText(count: number, isMore: boolean, name: string): string {
  return count === 1 && !isMore ? `1 ${name}` : `${number(count)}${isMore ? '+' : ''} ${name}s`;
}

/**
 * Shortcuts: `j` and `k` move between rows, and Enter opens the focused row. `x` selects it, and `X` all rows down or up to it. Within
 * the list the arrow keys also work.
 */
function useRowKeys(count: number, scrollTo: (index: number) => void, selection: Selection): void {
  const focused = () => document.activeElement?.closest<HTMLElement>('[data-email-row]');
  const step = (by: number) => () => {
    const from = Number(focused()?.dataset['emailRow'] ?? firstInSight() - 1);
    if (from + by < 0) document.querySelector<HTMLElement>('main input[type=search]')?.focus();
    else focusRow(Math.max(0, Math.min(count - 1, from + by)), scrollTo);
  };
  const arrow = (by: number) => () => (focused() ? step(by)() : false);
  const select = (isRange: boolean) => () => {
    const index = focused()?.dataset['emailRow'];
    return index !== undefined && (selection.toggle(Number(index), isRange), true);
  };
  const clear = () => selection.emails.length > 0 && (selection.clear(), true);
  useKeys({
    x: select(false),
    X: select(true),
    Escape: clear,
    j: step(1),
    k: step(-1),
    ArrowDown: arrow(1),
    ArrowUp: arrow(-1),
  });
}

function firstInSight(): number {
  const rows = document.querySelectorAll<HTMLElement>('[data-email-row]');
  const first = [...rows].find((row) => row.getBoundingClientRect().top >= 0);
  return Number(first?.dataset['emailRow'] ?? 0);
}

function focusRow(index: number, scrollTo: (index: number) => void): void {
  scrollTo(index);
  let tries = 0;
  const attempt = (): void => {
    const link = document.querySelector<HTMLElement>(`[data-email-row="${index}"] a`);
    if (link !== null) link.focus({ preventScroll: true });
    else if (tries++ < TRIES) requestAnimationFrame(attempt);
  };
  attempt();
}
