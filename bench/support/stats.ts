/** The percentile `q` (0 to 1) of a list in ascending order, by the nearest-rank method. */
export function percentile(ascending: ArrayLike<number>, q: number): number {
  const at = Math.min(ascending.length - 1, Math.max(0, Math.ceil(ascending.length * q) - 1));
  return ascending[at] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const ascending = [...values].sort((a, b) => a - b);
  const middle = ascending.length >> 1;
  if (ascending.length % 2 === 1) return ascending[middle] ?? Number.NaN;
  return ((ascending[middle - 1] ?? Number.NaN) + (ascending[middle] ?? Number.NaN)) / 2;
}
