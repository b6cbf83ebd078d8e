/**
 * `node:test` tracks every promise from creation to collection (`async_hooks`) for two purposes: to find the enclosing suite of `suite()`,
 * `test()` and `before()`, and to attribute uncaught errors to tests. Tracking makes an `await` 15 times slower. Only the first purpose is
 * needed, and only while files are imported (docs/decisions/0118-promises-in-tests.md).
 */
import asyncHooks, { type AsyncHook } from 'node:async_hooks';

/** Controls promise tracking in `node:test`. While tracking is paused, no `await` may precede the creation of a suite or test. */
export interface PromiseTracking {
  resume(): void;
  pause(): void;
}

/** Call this before the first import of `node:test`, which reads `createHook` when it is loaded. */
export function controlPromiseTracking(): PromiseTracking {
  const { createHook } = asyncHooks;
  const hooks: AsyncHook[] = [];
  asyncHooks.createHook = (callbacks) => {
    const hook = createHook(callbacks);
    // The first hook belongs to `node:test`, which creates this hook with the first suite.
    asyncHooks.createHook = createHook;
    hooks.push(hook);
    return hook;
  };
  return {
    resume: () => hooks.forEach((hook) => hook.enable()),
    pause: () => hooks.forEach((hook) => hook.disable()),
  };
}
