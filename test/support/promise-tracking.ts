/**
 * `node:test` tracks every promise from creation to collection (`async_hooks`), so that `suite()`, `test()` and `before()` know which suite calls them,
 * and to attribute uncaught errors to tests. This makes an `await` 15 times slower. Only the first purpose is needed, and only while files are imported
 * (docs/decisions/0118-promises-in-tests.md).
 */
import asyncHooks, { type AsyncHook } from 'node:async_hooks';

/** Resumes and pauses the promise tracking of `node:test`. While paused, suites and tests must be created without an `await` before. */
export interface PromiseTracking {
  resume(): void;
  pause(): void;
}

/** Call this before anything imports `node:test`, which takes `createHook` when it is loaded. */
export function controlPromiseTracking(): PromiseTracking {
  const { createHook } = asyncHooks;
  const hooks: AsyncHook[] = [];
  asyncHooks.createHook = (callbacks) => {
    const hook = createHook(callbacks);
    // The first hook is that of `node:test`. It is created with the first suite.
    asyncHooks.createHook = createHook;
    hooks.push(hook);
    return hook;
  };
  return {
    resume: () => hooks.forEach((hook) => hook.enable()),
    pause: () => hooks.forEach((hook) => hook.disable()),
  };
}
