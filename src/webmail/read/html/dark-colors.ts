/**
 * Converts the colors of mail for a dark background (docs/decisions/0154-height.md): only mail with colored text and lines on a white
 * background, or on none. The lightness is inverted, and the hue stays.
 */
import { type Color, clampChroma, converter, formatHex, parse, wcagContrast } from 'culori';

/** The lightest background on which the web client shows a dark message. */
export const DARK_BACKGROUND = '#14171e';
/** The color of text that has no color of its own. */
export const DARK_TEXT = '#eceff4';
/** The least contrast between text and its background (WCAG 2.2, 1.4.3). */
const LEAST_CONTRAST = 4.5;
const STEP = 0.02;
/** The lightness of converted text: black text becomes `most`, and each step of lightness makes text darker by `slope` steps. */
const TEXT_LIGHTNESS = { most: 0.95, slope: 0.4 };
/** Backgrounds at least this light and at most this colorful count as white. */
const WHITE_LIGHTNESS = 0.96;
const WHITE_CHROMA = 0.015;
/** The range of lightness of lines: visible, but weaker than text. */
const LINE_LIGHTNESS = [0.3, 0.75] as const;

const toOklch = converter('oklch');
const toRgb = converter('rgb');
/** Numbers in names such as `p1` are not colors, and neither are functions other than those of colors. */
const COLORS =
  /#[\da-f]{3,8}(?![\w-])|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\([^()]*\)|(?<![\w#-])[a-z]+(?![\w(-])/gi;
const TEXT = /^(?:color|caret-color|-webkit-text-fill-color|text-decoration(?:-color)?)$/;
const LINE = /^(?:border|outline|column-rule)(?:-.*)?$/;
const GROUND = /^background(?:-color|-image)?$/;
const NEUTRAL =
  /^\s*(?:inherit|initial|unset|revert|transparent|none|currentcolor|windowtext|auto)?\s*(?:!\s*important\s*)?$/i;

/** Converts the values of declarations. `isPossible` is false after a value that cannot be converted. */
export class DarkColors {
  isPossible = true;
  readonly #known = new Map<string, string>();

  /** @param property in lower case @returns the value to write */
  readonly convert = (property: string, value: string): string => {
    if (GROUND.test(property)) return this.#background(value);
    if (TEXT.test(property)) return this.#replace(property, value, forText);
    return LINE.test(property) ? this.#replace(property, value, forLine) : value;
  };

  #background(value: string): string {
    if (NEUTRAL.test(value)) return value;
    if (/(?:url|gradient|var|light-dark|color-mix)\(/i.test(value)) this.isPossible = false;
    let count = 0;
    const converted = value.replace(COLORS, (written) => {
      const color = parse(written);
      if (color === undefined) return written;
      count++;
      if (color.alpha !== 0 && !isWhite(color)) this.isPossible = false;
      return 'transparent';
    });
    // Attack: a color that this code does not know, so that light text would be on a light background.
    if (
      count === 0 &&
      !/^\s*(?:none|no-repeat|repeat|scroll|center|top|left|[\d\s%.])*\s*(?:!\s*important\s*)?$/i.test(value)
    )
      this.isPossible = false;
    return converted;
  }

  #replace(property: string, value: string, change: (color: Color) => string): string {
    if (NEUTRAL.test(value)) return value;
    let count = 0;
    const converted = value.replace(COLORS, (written) => {
      const key = `${change.name} ${written.toLowerCase()}`;
      const known = this.#known.get(key);
      if (known !== undefined) {
        count++;
        return known;
      }
      const color = parse(written);
      if (color === undefined || color.alpha === 0) return written;
      count++;
      const changed = change(color);
      this.#known.set(key, changed);
      return changed;
    });
    if (count === 0 && property === 'color') this.isPossible = false;
    return converted;
  }
}

function isWhite(color: Color): boolean {
  const { l, c } = toOklch(onWhite(color));
  return l >= WHITE_LIGHTNESS && c <= WHITE_CHROMA;
}

/** The color of text on a dark background, with enough contrast. */
function forText(color: Color): string {
  const oklch = toOklch(onWhite(color));
  for (let l = TEXT_LIGHTNESS.most - TEXT_LIGHTNESS.slope * oklch.l; ; l += STEP) {
    const hex = formatHex(clampChroma({ ...oklch, l: Math.min(1, l) }, 'oklch'));
    if (l >= 1 || wcagContrast(hex, DARK_BACKGROUND) >= LEAST_CONTRAST) return hex;
  }
}

function forLine(color: Color): string {
  const oklch = toOklch(onWhite(color));
  const [least, most] = LINE_LIGHTNESS;
  return formatHex(clampChroma({ ...oklch, l: Math.max(least, Math.min(most, 1 - oklch.l)) }, 'oklch'));
}

/** A color without transparency, as it looks on white. */
function onWhite(color: Color): Color {
  const { r, g, b, alpha = 1 } = toRgb(color);
  const mix = (part: number): number => part * alpha + 1 - alpha;
  return { mode: 'rgb', r: mix(r), g: mix(g), b: mix(b) };
}
