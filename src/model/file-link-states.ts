/** What a file link is. `uploading`: it is open, and some of its files are not here yet. */
export const FILE_LINK_STATES = ['open', 'uploading', 'expired', 'revoked', 'used-up'] as const;

export type FileLinkState = (typeof FILE_LINK_STATES)[number];
