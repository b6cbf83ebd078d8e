import { Type } from 'typebox';

/** The time zone of a user. */
export const TimeZone = Type.String({
  maxLength: 64,
  pattern: '^[A-Za-z0-9_+/-]+$',
  description: "The user's time zone, such as `Europe/Berlin`, for dates in texts. Unknown zones mean UTC.",
});
