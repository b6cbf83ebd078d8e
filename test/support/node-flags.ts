/** Test processes mostly load sources. With Node's small initial young generation, a fifth of that time goes into garbage collection. */
export const LARGE_YOUNG_GENERATION = ['--min-semi-space-size=32', '--max-semi-space-size=64'] as const;
