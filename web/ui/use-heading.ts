import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Whether the heading that was just removed had the focus. */
let hadFocus = false;

/** For the h1 of a page: the placeholder heading passes its focus to the final heading. */
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
