import type { CSSProperties, KeyboardEvent, PointerEvent, RefObject } from 'react';
import { classes } from '../../../ui/classes.ts';
import { useWatched } from '../../../ui/watched.ts';
import { changeLayout, type Layout, layout, MAX_PART, MIN_PART, withinParts } from '../../reading/layout.ts';

type Pane = Exclude<Layout['pane'], 'none'>;

/** The parts for the list until the user changes them. */
const USUAL = { beside: 'clamp(22rem, 30vw, 34rem)', below: '45%' };
/** How far an arrow key moves the divider, in percent. */
const STEP = 2;

/** The parts of the window for the list, the divider, and the conversation. */
export function usePaneStyle(pane: Layout['pane']): CSSProperties | undefined {
  const chosen = useWatched(layout);
  if (pane === 'none') return undefined;
  const part = chosen[pane];
  const parts = `${part === null ? USUAL[pane] : `${part}%`} 1px minmax(0, 1fr)`;
  return pane === 'beside' ? { gridTemplateColumns: parts } : { gridTemplateRows: parts };
}

interface PaneDividerProps {
  pane: Pane;
  /** The element that contains both parts. */
  split: RefObject<HTMLDivElement | null>;
}

/** The line between the list and the conversation, which the mouse and the arrow keys move. */
export function PaneDivider({ pane, split }: PaneDividerProps) {
  const chosen = useWatched(layout)[pane];
  const isBeside = pane === 'beside';
  const partAt = ({ clientX, clientY }: { clientX: number; clientY: number }): number => {
    const { left, right, top, width, height } = split.current?.getBoundingClientRect() ?? new DOMRect();
    const isMirrored = split.current !== null && getComputedStyle(split.current).direction === 'rtl';
    const across = isMirrored ? right - clientX : clientX - left;
    return (isBeside ? across / width : (clientY - top) / height) * 100;
  };
  /** The present part, also if the user has not changed it. */
  const now = (divider: Element): number => {
    const { left, top } = divider.getBoundingClientRect();
    return partAt({ clientX: left, clientY: top });
  };
  const set = (part: number) => changeLayout({ [pane]: Math.round(withinParts(part) * 10) / 10 });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const steps = isBeside ? { ArrowLeft: -STEP, ArrowRight: STEP } : { ArrowUp: -STEP, ArrowDown: STEP };
    const step = (steps as Readonly<Record<string, number>>)[event.key];
    const end = { Home: MIN_PART, End: MAX_PART }[event.key];
    if (step === undefined && end === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const isMirrored = isBeside && getComputedStyle(event.currentTarget).direction === 'rtl';
    set(end ?? now(event.currentTarget) + (step ?? 0) * (isMirrored ? -1 : 1));
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) set(partAt(event));
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label="Resize the list"
      aria-orientation={isBeside ? 'vertical' : 'horizontal'}
      aria-valuemin={MIN_PART}
      aria-valuemax={MAX_PART}
      aria-valuenow={Math.round(chosen ?? (isBeside ? 30 : 45))}
      title="Drag to resize. Double-click for the usual size."
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        event.currentTarget.focus();
      }}
      onPointerMove={onPointerMove}
      onDoubleClick={() => changeLayout({ [pane]: null })}
      className={classes(
        'relative z-2 touch-none bg-line outline-none after:absolute hover:bg-accent focus-visible:bg-accent focus-visible:outline-2 focus-visible:outline-accent',
        isBeside
          ? 'cursor-col-resize after:inset-y-0 after:-inset-x-1.5'
          : 'cursor-row-resize after:inset-x-0 after:-inset-y-1.5',
      )}
    />
  );
}
