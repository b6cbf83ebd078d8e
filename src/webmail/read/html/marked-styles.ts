/**
 * Styles of a message that has a marked link. Attack: a style that covers, hides or cuts off the mark beside the link. Only the properties listed
 * here stay, so a browser's other properties, known or new, cannot do so. None of them
 * - makes a stacking context: the mark alone has a `z-index`, and so is drawn above everything else;
 * - cuts off, hides or fades what an element contains, except `display: none`, which hides the link with its mark;
 * - moves a box over another one, or makes it smaller than its content, so that one mark cannot cover another one either.
 */
const SHOWN =
  /^(?:color|background(?:-(?:color|image|repeat|position|size))?|font(?:-(?:family|size|style|variant|weight))?|line-height|text-(?:align|decoration|transform)|vertical-align|border(?:-(?:top|right|bottom|left))?(?:-(?:color|style|width))?|border-(?:collapse|spacing|radius)|padding(?:-(?:top|right|bottom|left))?|margin(?:-(?:top|right|bottom|left))?|min-(?:width|height)|display|float|clear|list-style-type)$/;
const DISPLAY =
  /^\s*(?:none|block|inline|inline-block|list-item|table|inline-table|table-(?:row|cell|caption|(?:row|header|footer)-group))\s*(?:!\s*important\s*)?$/i;
/** Lengths without a sign, and no functions, which could give a negative one. */
const UNSIGNED = /^[\w\s.%!]*$/;
const WORDS = /^[a-z\s!-]*$/i;

/** @param property in lower case @param value with escapes undone @returns whether the declaration may stay in a message with a marked link */
export function leavesMarksVisible(property: string, value: string): boolean {
  if (!SHOWN.test(property)) return false;
  if (property === 'display') return DISPLAY.test(value);
  if (property === 'vertical-align') return WORDS.test(value);
  return !property.startsWith('margin') || UNSIGNED.test(value);
}
