import { useLayoutEffect, useRef, useState } from 'react';

/** Functions that stay the same from render to render and do what those of the last one do: what is given them is not drawn again because of them. */
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
