/** Loads the code of pages and of their parts, also if the server is away meanwhile. */
import {
  type ComponentType,
  createElement,
  type FunctionComponent,
  lazy,
  type ReactNode,
  useEffect,
} from 'react';
import { ServiceAway, SLOW_MS } from '../api/client.ts';
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
 * Repeats an import that failed. Browsers remember the failure by address, so the repeated import has another one.
 * @throws unknown if the server does not have the module, or if the module is not a part
 */
async function importAgain<Module>(failure: unknown): Promise<Module> {
  const url = /https?:\S+/.exec(String(failure))?.[0];
  const loaded = (await import(/* @vite-ignore */ `${url ?? ''}?again`)) as Module & { default?: unknown };
  if (loaded.default === undefined) throw failure;
  return loaded;
}

/**
 * A component that is loaded when it is first shown. If its code cannot be loaded, a notice says so and the rest of the page keeps working.
 * The part is shown once the server can be reached. If the server responds without the code, it has a newer release, and the notice offers
 * to reload the page.
 * @param notice the notice. Null: the part has no notice, because users do not wait for it
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  notice: string | null = 'Part of this page could not be loaded. It opens when the connection is back.',
) {
  let failure: unknown;
  let isRetried = false;

  async function attempt(): Promise<{ default: ComponentType<Props> }> {
    try {
      // Without a connection nothing is imported, so that the browser remembers no failure.
      if (isAway()) throw new ServiceAway();
      return await (failure === undefined ? load() : importAgain(failure));
    } catch (error) {
      if (!(error instanceof ServiceAway)) failure ??= error;
      // A component of its own for each attempt, because React would not mount the same one again.
      return { default: () => useMissing() };
    }
  }
  // The type of `lazy` loses the props of a generic component.
  const begin = () => lazy(attempt) as unknown as FunctionComponent<Props>;
  const part = watched(begin());

  /** Reports that the part is missing, without a throw, because an error would replace the page. */
  function useMissing(): null {
    useEffect(() => {
      let dismiss = (): void => {};
      let isWanted = true;
      const retry = (): void => {
        if (!isWanted) return;
        reloadStyles();
        part.set(begin());
      };
      void check().then(() => {
        if (!isWanted) return;
        if (isAway()) {
          isRetried = false;
          if (notice !== null)
            dismiss = toast(notice, { shownMs: ALWAYS_MS, action: { label: 'Try again', run: retry } });
          void reachable().then(retry);
        } else if (!isRetried) {
          isRetried = true;
          retry();
        } else if (notice !== null) {
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
