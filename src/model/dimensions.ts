/** The dimensions by which emails are counted. `all` is the total. */
export const DIMENSIONS = ['all', 'domain', 'provider', 'stream', 'tag'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

/** Values of dimensions to which counts are limited. An email counts if it has all of them. */
export type DimensionFilter = Readonly<Partial<Record<Exclude<Dimension, 'all'>, string>>>;
