/** The explanation for HTML that is not shown. */
export const TOO_MUCH =
  'This message is too large or too complex to show with its layout. Here is its text; the source contains all of it.';
