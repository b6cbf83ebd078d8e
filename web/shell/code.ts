/** Loads the code of pages and of their parts, also if the server is away meanwhile. */
import { type ComponentType, lazy } from 'react';
import { SLOW_MS } from '../api/client.ts';
import { check, reachable } from './connection.ts';

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
      return await load();
    } finally {
      clearTimeout(doubt);
    }
  };
}

/** A component that is loaded when it is first shown. */
// oxlint-disable-next-line typescript/no-explicit-any -- as the type of `lazy`, which infers the props
export function lazyPart<Part extends ComponentType<any>>(load: () => Promise<{ default: Part }>) {
  return lazy(loadable(load));
}
