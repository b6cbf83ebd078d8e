/** The dimensions by which email counts are grouped. `all` is the total. */
export const DIMENSIONS = ['all', 'domain', 'provider', 'stream', 'tag'] as const;

export type Dimension = (typeof DIMENSIONS)[number];
