import { fixed } from '../../model/fixed.ts';

/** In milliseconds. */
export const TIMINGS = fixed({
  /** After so long it is looked again whether what a report is about is handed over by now. */
  lookAgainMs: 250,
  /** So often in all: then the report itself is filed. */
  looks: 9,
});
