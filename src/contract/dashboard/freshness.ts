/** How old the numbers of a response are. */
import { Type } from 'typebox';
import { Nullable, Timestamp } from '../schema.ts';

export const CountedAt = Nullable(
  Type.Unsafe<string>({
    ...Timestamp,
    description: 'All emails accepted before this time are counted. Null: nothing is counted yet.',
  }),
);

export const OutcomesAt = Nullable(
  Type.Unsafe<string>({
    ...Timestamp,
    description:
      'All outcomes from before this time are counted, except those that came more than 35 days after their email was accepted. Later outcomes of older emails, such as opens and bounces, may not be counted yet.',
  }),
);

export const RetainedSince = Nullable(
  Type.Unsafe<string>({
    ...Timestamp,
    description:
      'All emails accepted since then still exist, unless they were erased. Null: no emails were deleted because of their age.',
  }),
);
