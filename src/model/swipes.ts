/** What a row of a list does that is pushed aside. */
export const SWIPES = ['archive', 'trash', 'junk', 'seen', 'star', 'none'] as const;
export type Swipe = (typeof SWIPES)[number];
