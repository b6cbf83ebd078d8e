import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

const ENOUGH_PX = 72;
/** The movement of the list as a share of the finger's movement. */
const FOLLOWS = 0.5;

/** Checks for new mail when the user pulls the list down at its top. @param sign the indicator above the list */
export function usePull(
  scroller: RefObject<HTMLElement | null>,
  sign: RefObject<HTMLElement | null>,
  onPull: () => void,
): void {
  const pulled = useRef(onPull);
  useLayoutEffect(() => {
    pulled.current = onPull;
  });
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return undefined;
    let from: number | undefined;
    let by = 0;
    const show = (px: number): void => {
      by = px;
      const element = sign.current;
      if (element === null) return;
      element.style.height = `${px}px`;
      element.style.opacity = String(Math.min(1, px / ENOUGH_PX));
    };
    const onStart = ({ touches }: TouchEvent): void => {
      from = current.scrollTop <= 0 ? touches[0]?.clientY : undefined;
    };
    const onMove = ({ touches }: TouchEvent): void => {
      if (from === undefined) return;
      const way = ((touches[0]?.clientY ?? from) - from) * FOLLOWS;
      show(current.scrollTop <= 0 ? Math.max(0, Math.min(way, ENOUGH_PX * 1.5)) : 0);
    };
    const onEnd = (): void => {
      if (by >= ENOUGH_PX) pulled.current();
      from = undefined;
      show(0);
    };
    current.addEventListener('touchstart', onStart, { passive: true });
    current.addEventListener('touchmove', onMove, { passive: true });
    current.addEventListener('touchend', onEnd);
    current.addEventListener('touchcancel', onEnd);
    return () => {
      current.removeEventListener('touchstart', onStart);
      current.removeEventListener('touchmove', onMove);
      current.removeEventListener('touchend', onEnd);
      current.removeEventListener('touchcancel', onEnd);
    };
  }, [scroller, sign]);
}
