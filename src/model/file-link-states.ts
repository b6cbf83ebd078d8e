/** The states of a file link. `uploading`: visitors can open the link, but some of its files are still being uploaded. */
export const FILE_LINK_STATES = ['open', 'uploading', 'expired', 'revoked', 'used-up'] as const;

export type FileLinkState = (typeof FILE_LINK_STATES)[number];
