/** A large young generation from the start. Test processes mostly load sources, and with Node's default a fifth of that time is garbage collection. */
export const LARGE_YOUNG_GENERATION = ['--min-semi-space-size=32', '--max-semi-space-size=64'] as const;
