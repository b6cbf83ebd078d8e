/** The dimensions by which emails are counted. `all` is the total. */
export const DIMENSIONS = ['all', 'domain', 'provider', 'stream', 'tag'] as const;

export type Dimension = (typeof DIMENSIONS)[number];
