/** Resolves to the result of the promise, or to `late` after `timeoutMs`. @param promise a promise that never rejects */
export async function within<T>(timeoutMs: number, promise: Promise<T>, late: T): Promise<T> {
  const timeout = Promise.withResolvers<T>();
  const timer = setTimeout(() => timeout.resolve(late), timeoutMs);
  try {
    return await Promise.race([promise, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
