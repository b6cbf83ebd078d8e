/** The explanation for HTML that is not shown. */
export const TOO_MUCH =
  'This message is too large or too entangled to be shown as it was laid out. Here is its text; all of it is in the source.';
