import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Whether the heading that was taken away in this turn had the focus. */
let hadFocus = false;

/** For the h1 of a page: the one that stands in while something loads hands its focus on to the one that comes. */
export function useHeading(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const element = heading.current;
    if (hadFocus) element?.focus({ preventScroll: true });
    hadFocus = false;
    return () => {
      hadFocus = element !== null && document.activeElement === element;
    };
  }, []);
  return heading;
}
