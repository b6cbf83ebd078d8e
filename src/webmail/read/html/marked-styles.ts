/**
 * Styles and attributes allowed in a message with a marked link, which is a link followed by a warning that names its target. Attack: a
 * style or an attribute that covers, hides, cuts off or moves the warning. Only the properties listed below are allowed, so no other
 * current or future property can affect the warning. None of the allowed properties
 * - makes a stacking context: the warning alone has a `z-index`, and so is drawn above everything else;
 * - cuts off, hides or fades what an element contains, except `display: none`, which hides the link with its warning;
 * - makes a box smaller than its content, or draws it over another box, so that no warning can cover another warning;
 * - makes a box wider than the frame by itself, keeps a line from wrapping, or moves a wide box to the left of the frame, where nothing
 *   scrolls.
 */
const SHOWN =
  /^(?:color|background(?:-(?:color|image|repeat|position|size))?|font(?:-(?:family|size|style|variant|weight))?|line-height|text-(?:align|decoration|transform)|vertical-align|border(?:-(?:top|right|bottom|left))?(?:-(?:color|style|width))?|border-(?:collapse|spacing|radius)|padding(?:-(?:top|right|bottom|left))?|margin(?:-(?:top|right|bottom|left))?|display|clear|list-style-type)$/;
/** Excludes table rows and cells. Attack: a link that is a wide cell, so that its warning is in the next cell, out of sight. */
const DISPLAY = /^(?:none|block|inline|inline-block|list-item)$/i;
/** Excludes `-webkit-right` and similar values, which move boxes as well as text. */
const TEXT_ALIGN = /^(?:left|right|center|justify|start|end|inherit|initial|unset)$/i;
const WORDS = /^[a-z\s-]*$/i;
const IMPORTANT = /\s*!\s*important$/i;

const BOUNDED = /^(?:padding|margin|border)/;
const COLOR = /#[\da-f]{3,8}\b|\b(?:rgb|hsl)a?\([\w\s.,%/-]*\)/gi;
const KEYWORD = /^[a-z]+(?:-[a-z]+)*$/i;
/** Allows no sign, exponent, function or unit relative to the font size. */
const LENGTH = /^(?<number>\d{1,3}(?:\.\d+)?)(?<unit>px|pt|%)?$/i;
const MAX_LENGTHS: Readonly<Record<string, number>> = { px: 64, pt: 48, '%': 10 };

/** Attributes that keep a line from wrapping, or put two cells of a table over each other. */
const FORBIDDEN_ATTRIBUTES = new Set(['nowrap', 'rowspan']);
/** Attributes that set paddings, margins and borders, in pixels. */
const SPACES = new Set(['border', 'cellpadding', 'cellspacing', 'hspace', 'vspace']);
const SPACE = /^\d{0,2}$/;
/** Elements that float when they are aligned with a side. */
const FLOATING = new Set(['img', 'table']);
const SIDE = /left|right/i;
const WIDTH = /^(?<number>\d{1,3})(?:px)?(?<percent>%)?$/;
/** The maximum width in pixels, which is the width of the frame on the narrowest phone. */
const MAX_WIDTH = 320;

/**
 * Rules at the end of the frame's own style for a message with a marked link. Attacks that move the warning out of sight: lines that `pre`
 * does not wrap; `bdi`, whose text runs from right to left if its letters do; the annotation of `ruby`, whose line does not wrap either.
 */
export const MARKED_STYLE =
  'pre,rt{white-space:pre-wrap!important}bdi{direction:inherit!important}ruby,rt,rp{display:inline!important}';

/**
 * @param property in lower case
 * @param value with escapes undone
 * @returns whether the declaration may stay in a message with a marked link
 */
export function leavesMarksVisible(property: string, value: string): boolean {
  if (!SHOWN.test(property)) return false;
  const set = value.trim().replace(IMPORTANT, '');
  if (property === 'display') return DISPLAY.test(set);
  if (property === 'text-align') return TEXT_ALIGN.test(set);
  if (property === 'vertical-align') return WORDS.test(set);
  return !BOUNDED.test(property) || property === 'border-radius' || isBounded(set);
}

/** @param element in lower case @param name in lower case @returns whether the attribute may stay in a message with a marked link */
export function attributeLeavesMarksVisible(element: string, name: string, value: string): boolean {
  if (FORBIDDEN_ATTRIBUTES.has(name)) return false;
  const set = value.trim();
  // Attack: right-to-left text in a left-to-right document, which overflows to the side where nothing scrolls.
  if (name === 'dir') return element === 'html';
  if (name === 'align') return !FLOATING.has(element) || !SIDE.test(set);
  if (SPACES.has(name)) return SPACE.test(set) && Number(set) <= (MAX_LENGTHS.px as number);
  // The style of the frame keeps pictures within the frame.
  if (name !== 'width' || element === 'img') return true;
  const width = WIDTH.exec(set)?.groups;
  return width !== undefined && Number(width.number) <= (width.percent === undefined ? MAX_WIDTH : 100);
}

function isBounded(value: string): boolean {
  return value
    .replaceAll(COLOR, ' ')
    .split(/\s+/)
    .every((word) => {
      if (word === '' || KEYWORD.test(word)) return true;
      const length = LENGTH.exec(word)?.groups;
      return (
        length !== undefined && Number(length.number) <= (MAX_LENGTHS[length.unit?.toLowerCase() ?? ''] ?? 0)
      );
    });
}
