import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { Side, Swipes } from './swipes.ts';

/** The distance in pixels that a row must be moved for its action to run. */
const ENOUGH_PX = 88;
/** The minimum distance in pixels of a swipe. A shorter movement may be the start of scrolling. */
const BEGIN_PX = 12;

/**
 * Swiping moves a row aside and reveals the action that runs when the row is released.
 * @param element an element whose last child is the row, and whose child before it appears behind the row
 */
export function useSwipe(
  element: RefObject<HTMLElement | null>,
  swipes: Swipes,
  onSwipe: (side: Side) => void,
): void {
  const now = useRef({ swipes, onSwipe });
  useLayoutEffect(() => {
    now.current = { swipes, onSwipe };
  });
  useEffect(() => {
    const { current } = element;
    const row = current?.lastElementChild;
    if (current === null || !(row instanceof HTMLElement)) return undefined;
    let start: { x: number; y: number; id: number } | undefined;
    let moved = 0;
    const move = (to: number): void => {
      moved = to;
      row.style.translate = to === 0 ? '' : `${to}px 0`;
      current.dataset['swipe'] = to === 0 ? '' : to > 0 ? 'right' : 'left';
    };
    const onDown = (event: PointerEvent): void => {
      if (event.pointerType === 'touch' && event.isPrimary)
        start = { x: event.clientX, y: event.clientY, id: event.pointerId };
    };
    const onMove = (event: PointerEvent): void => {
      if (event.pointerId !== start?.id) return;
      const x = event.clientX - start.x;
      if (moved === 0 && Math.abs(x) < BEGIN_PX) return;
      // The user scrolls, so the browser takes over the pointer.
      if (moved === 0 && Math.abs(event.clientY - start.y) > Math.abs(x)) start = undefined;
      else move(now.current.swipes[x > 0 ? 'right' : 'left'] === 'none' ? 0 : x);
    };
    const onUp = (event: PointerEvent): void => {
      if (event.pointerId !== start?.id) return;
      const side = moved > 0 ? 'right' : 'left';
      const isEnough = Math.abs(moved) >= ENOUGH_PX;
      const wasMoved = moved !== 0;
      start = undefined;
      move(0);
      if (wasMoved) current.addEventListener('click', swallow, { capture: true, once: true });
      setTimeout(() => current.removeEventListener('click', swallow, { capture: true }));
      if (isEnough && event.type === 'pointerup') now.current.onSwipe(side);
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
      current.removeEventListener('pointerdown', onDown);
      current.removeEventListener('pointermove', onMove);
      current.removeEventListener('pointerup', onUp);
      current.removeEventListener('pointercancel', onUp);
    };
  }, [element]);
}
