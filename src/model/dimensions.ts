/** What emails are told apart by in their counts; `all`: by nothing. */
export const DIMENSIONS = ['all', 'domain', 'provider', 'stream', 'tag'] as const;

export type Dimension = (typeof DIMENSIONS)[number];
