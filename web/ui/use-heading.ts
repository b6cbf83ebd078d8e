import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Whether the heading that was just removed had the focus. */
let hadFocus = false;

/** Returns the ref for the h1 of a page. If the placeholder heading had the focus, the final heading gets the focus. */
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
