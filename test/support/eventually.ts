/** Polls until the condition holds. @returns false if it does not within the time-out. For conditions in other processes. */
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
