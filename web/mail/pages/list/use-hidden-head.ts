import { type UIEvent, useRef, useState } from 'react';

/** A movement in one direction that hides or shows the head, in pixels. */
const ENOUGH_PX = 24;
/** Above this position the head is always shown. */
const TOP_PX = 96;

/** On phones, hides the head of the list while the user scrolls down, and shows it again when the user scrolls up. */
export function useHiddenHead(): { isHidden: boolean; onScroll(event: UIEvent<HTMLElement>): void } {
  const [isHidden, setIsHidden] = useState(false);
  /** The position at which the user last changed the direction. */
  const turned = useRef({ at: 0, last: 0 });
  return {
    isHidden,
    onScroll({ currentTarget: { scrollTop } }) {
      const { at, last } = turned.current;
      const isSameWay = (last >= at && scrollTop >= last) || (last <= at && scrollTop <= last);
      turned.current = { at: isSameWay ? at : last, last: scrollTop };
      const by = scrollTop - turned.current.at;
      if (scrollTop < TOP_PX || by <= -ENOUGH_PX) setIsHidden(false);
      else if (by >= ENOUGH_PX) setIsHidden(true);
    },
  };
}
