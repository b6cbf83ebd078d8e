/** Resolves as soon as the condition holds; false when it does not in time. The wait is for other processes. */
export async function eventually(
  condition: () => Promise<boolean> | boolean,
  timeoutMs: number,
): Promise<boolean> {
  for (const endMs = Date.now() + timeoutMs; Date.now() < endMs; ) {
    if (await condition()) return true;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  return false;
}
