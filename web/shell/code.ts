/** Loads the code of pages and of their parts, also if the server is away meanwhile. */
import {
  type ComponentType,
  createElement,
  type FunctionComponent,
  lazy,
  type ReactNode,
  useEffect,
} from 'react';
import { SLOW_MS } from '../api/client.ts';
import { toast } from '../ui/toast.tsx';
import { useWatched, watched } from '../ui/watched.ts';
import { check, isAway, reachable } from './connection.ts';

/** Longer than anyone waits, and the maximum of a timer, so that a notice stays until it is dismissed. */
const ALWAYS_MS = 2 ** 31 - 1;

/**
 * Wraps the import of a module that the browser loads on demand. If the server cannot be reached, the import is pending until it can, and
 * is then repeated. Without this, the router would reload the whole page, which ends on the error page of the browser.
 * @returns a function that rejects only if the server responds: after an upgrade, without the module; or because the browser remembers
 * that the first import failed
 */
export function loadable<Module>(load: () => Promise<Module>): () => Promise<Module> {
  return async () => {
    const doubt = setTimeout(() => void check(), SLOW_MS);
    try {
      return await load();
    } catch {
      await reachable();
      reloadStyles();
      return await load();
    } finally {
      clearTimeout(doubt);
    }
  };
}

/** Loads failed style sheets again, because a repeated import regards the style sheets of the first one as loaded. */
function reloadStyles(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (link.sheet === null) link.replaceWith(link.cloneNode());
}

/**
 * A component that is loaded when it is first shown. If its code cannot be loaded, a notice says so and the rest of the page keeps working.
 * The part is shown once the server can be reached. If the server responds without the code, it has a newer release, and the notice offers
 * to reload the page.
 * @param failure the notice. Null: the part has no notice, because users do not wait for it
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  failure: string | null = 'Part of this page could not be loaded. It opens when the connection is back.',
) {
  let isRetried = false;
  // The type of `lazy` loses the props of a generic component.
  const attempt = () =>
    lazy<ComponentType<Props>>(() =>
      load().catch(() => ({ default: Missing })),
    ) as unknown as FunctionComponent<Props>;
  const part = watched(attempt());
  const retry = (): void => {
    reloadStyles();
    part.set(attempt());
  };

  /** Shown instead of the part, without a throw, because an error would replace the page. */
  function Missing(): null {
    useEffect(() => {
      let dismiss = (): void => {};
      let isWanted = true;
      const again = () => isWanted && retry();
      void check().then(() => {
        if (!isWanted) return;
        if (isAway()) {
          isRetried = false;
          if (failure !== null)
            dismiss = toast(failure, { shownMs: ALWAYS_MS, action: { label: 'Try again', run: again } });
          void reachable().then(again);
        } else if (!isRetried) {
          isRetried = true;
          again();
        } else if (failure !== null) {
          const action = { label: 'Reload', run: () => location.reload() };
          dismiss = toast('A new version is available.', { shownMs: ALWAYS_MS, action });
        }
      });
      return () => {
        isWanted = false;
        dismiss();
      };
    }, []);
    return null;
  }

  return function LazyPart(props: Props): ReactNode {
    return createElement(useWatched(part), props);
  };
}
