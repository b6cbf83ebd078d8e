/** A large young generation from the start. With Node's default, a fifth of the time for loading sources would be garbage collection. */
export const LARGE_YOUNG_GENERATION = ['--min-semi-space-size=32', '--max-semi-space-size=64'] as const;
