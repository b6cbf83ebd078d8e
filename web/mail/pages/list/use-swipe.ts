import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { Side, Swipes } from './swipes.ts';

/** The distance in pixels that a row must be moved for its action to run. */
const ENOUGH_PX = 88;
/** How long a finger must rest on a row to select it. */
const LONG_PRESS_MS = 500;
/** The minimum distance in pixels of a swipe. A shorter movement may be the start of scrolling. */
const BEGIN_PX = 12;

interface Gestures {
  swipes: Swipes;
  onSwipe(side: Side): void;
  onLongPress(): void;
}

/**
 * Swiping moves a row aside and reveals the action that runs when the row is released. A long press selects the row.
 * @param element an element whose last child is the row, and whose child before it appears behind the row
 */
export function useSwipe(element: RefObject<HTMLElement | null>, gestures: Gestures): void {
  const now = useRef(gestures);
  useLayoutEffect(() => {
    now.current = gestures;
  });
  useEffect(() => {
    const { current } = element;
    const row = current?.lastElementChild;
    if (current === null || !(row instanceof HTMLElement)) return undefined;
    let start: { x: number; y: number; id: number } | undefined;
    let moved = 0;
    let press: ReturnType<typeof setTimeout> | undefined;
    let wasLong = false;
    const move = (to: number): void => {
      moved = to;
      row.style.translate = to === 0 ? '' : `${to}px 0`;
      current.dataset['swipe'] = to === 0 ? '' : to > 0 ? 'right' : 'left';
    };
    const onDown = (event: PointerEvent): void => {
      if (event.pointerType !== 'touch' || !event.isPrimary) return;
      start = { x: event.clientX, y: event.clientY, id: event.pointerId };
      wasLong = false;
      press = setTimeout(() => {
        wasLong = true;
        start = undefined;
        navigator.vibrate?.(10);
        now.current.onLongPress();
      }, LONG_PRESS_MS);
    };
    const onMove = (event: PointerEvent): void => {
      if (event.pointerId !== start?.id) return;
      const x = event.clientX - start.x;
      if (Math.hypot(x, event.clientY - start.y) >= BEGIN_PX) clearTimeout(press);
      if (moved === 0 && Math.abs(x) < BEGIN_PX) return;
      // The user scrolls, so the browser takes over the pointer.
      if (moved === 0 && Math.abs(event.clientY - start.y) > Math.abs(x)) start = undefined;
      else move(now.current.swipes[x > 0 ? 'right' : 'left'] === 'none' ? 0 : x);
    };
    const onUp = (event: PointerEvent): void => {
      clearTimeout(press);
      // The finger leaves the row that it has selected, which must not open the conversation.
      if (wasLong) swallowClick();
      wasLong = false;
      if (event.pointerId !== start?.id) return;
      const side = moved > 0 ? 'right' : 'left';
      const isEnough = Math.abs(moved) >= ENOUGH_PX;
      const wasMoved = moved !== 0;
      start = undefined;
      move(0);
      if (wasMoved) swallowClick();
      if (isEnough && event.type === 'pointerup') now.current.onSwipe(side);
    };
    const swallowClick = (): void => {
      current.addEventListener('click', swallow, { capture: true, once: true });
      setTimeout(() => current.removeEventListener('click', swallow, { capture: true }));
    };
    const swallow = (event: Event): void => {
      event.preventDefault();
      event.stopPropagation();
    };
    current.addEventListener('pointerdown', onDown);
    current.addEventListener('pointermove', onMove);
    current.addEventListener('pointerup', onUp);
    current.addEventListener('pointercancel', onUp);
    return () => {
      clearTimeout(press);
      current.removeEventListener('pointerdown', onDown);
      current.removeEventListener('pointermove', onMove);
      current.removeEventListener('pointerup', onUp);
      current.removeEventListener('pointercancel', onUp);
    };
  }, [element]);
}
