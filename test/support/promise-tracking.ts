/**
 * `node:test` follows every promise from its creation to its collection (`async_hooks`), so that `suite()`, `test()` and `before()`
 * know which suite calls them, and an error that no one catches which test it belongs to. With it an `await` takes 15 times as
 * long. Only the first is needed, and only while files are imported (docs/decisions/0118-promises-in-tests.md).
 */
import asyncHooks, { type AsyncHook } from 'node:async_hooks';

/** Resumes and pauses how `node:test` follows promises. Paused, suites and tests must be made without an `await` before. */
export interface PromiseTracking {
  resume(): void;
  pause(): void;
}

/** To be called before anything imports `node:test`: it takes `createHook` from its module when it is loaded. */
export function controlPromiseTracking(): PromiseTracking {
  const { createHook } = asyncHooks;
  const hooks: AsyncHook[] = [];
  asyncHooks.createHook = (callbacks) => {
    const hook = createHook(callbacks);
    // The hook of `node:test` is the first one. It is made with the first suite.
    asyncHooks.createHook = createHook;
    hooks.push(hook);
    return hook;
  };
  return {
    resume: () => hooks.forEach((hook) => hook.enable()),
    pause: () => hooks.forEach((hook) => hook.disable()),
  };
}
