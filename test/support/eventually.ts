/** Polls until a condition that depends on other processes is true. @returns false if the condition is not true within the time-out */
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
