/** Polls until the condition holds, for conditions that depend on other processes. @returns false if the time-out ends first */
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
