import { useLayoutEffect, useRef, useState } from 'react';

/**
 * Functions that keep their identity between renders and call the latest version, so that components that receive the
 * functions do not render again.
 */
export function useStable<Functions extends object>(functions: Functions): Functions {
  const now = useRef(functions);
  useLayoutEffect(() => {
    now.current = functions;
  });
  const [stable] = useState(
    () =>
      Object.fromEntries(
        Object.keys(functions).map((name) => [
          name,
          (...given: unknown[]) =>
            (now.current as Record<string, (...given: unknown[]) => unknown>)[name]?.(...given),
        ]),
      ) as Functions,
  );
  return stable;
}
