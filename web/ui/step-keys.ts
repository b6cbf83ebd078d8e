/**
 * The step of a chart that a key selects.
 * @param at the selected step; null if there is none
 * @param last the last step
 * @returns null to select none; undefined if the key has no effect
 */
export function stepOfKey(key: string, at: number | null, last: number): number | null | undefined {
  if (key === 'Escape') return at === null ? undefined : null;
  const now = Math.min(at ?? last, last);
  const before = at === null ? last : Math.max(0, now - 1);
  const after = at === null ? 0 : Math.min(last, now + 1);
  return { ArrowLeft: before, ArrowDown: before, ArrowRight: after, ArrowUp: after, Home: 0, End: last }[key];
}
