/** The length of a day and of an hour, in milliseconds. */
export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;
