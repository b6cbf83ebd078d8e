/** The actions for swiping a row in the mail list. */
export const SWIPES = ['archive', 'trash', 'junk', 'seen', 'star', 'none'] as const;
export type Swipe = (typeof SWIPES)[number];
