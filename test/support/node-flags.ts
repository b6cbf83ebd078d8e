/**
 * Processes of tests do little more than to load sources: with the little room for what is young that Node begins with, a
 * fifth of that time goes into collecting it.
 */
export const ROOM_TO_BEGIN = ['--min-semi-space-size=32', '--max-semi-space-size=64'] as const;
