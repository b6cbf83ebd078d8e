/** The actions of swiping a row of the mail list. */
export const SWIPES = ['archive', 'trash', 'junk', 'seen', 'star', 'none'] as const;
export type Swipe = (typeof SWIPES)[number];
