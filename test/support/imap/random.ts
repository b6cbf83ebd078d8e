/** Pseudo-random numbers (mulberry32). The same seed produces the same numbers. */
export type Random = ReturnType<typeof randomFrom>;

export function randomFrom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** A whole number from 0 to `below - 1`. */
    below: (below: number) => Math.floor(next() * below),
    chance: (share: number) => next() < share,
    one: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
    some: <T>(list: readonly T[], share: number): T[] => list.filter(() => next() < share),
  };
}
