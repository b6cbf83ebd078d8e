/** Reads the styles that the editor supports from style attributes of pasted text and of mail, and writes them for mail. */

export interface TextStyle {
  /** Colors as `#rrggbb`. */
  color: string | null;
  background: string | null;
  size: 'small' | 'large' | null;
}

export type Align = 'left' | 'center' | 'right' | 'justify';
const ALIGNS: readonly string[] = ['left', 'center', 'right', 'justify'] satisfies Align[];

const NAMED: Readonly<Record<string, string>> = {
  red: '#ff0000',
  maroon: '#800000',
  orange: '#ffa500',
  yellow: '#ffff00',
  olive: '#808000',
  lime: '#00ff00',
  green: '#008000',
  aqua: '#00ffff',
  cyan: '#00ffff',
  teal: '#008080',
  blue: '#0000ff',
  navy: '#000080',
  fuchsia: '#ff00ff',
  magenta: '#ff00ff',
  purple: '#800080',
  gray: '#808080',
  grey: '#808080',
};

/** The text color of highlighted text in mail, so that it stays readable where mail is shown dark. */
const ON_HIGHLIGHT = '#1b1f26';
const SIZES = { small: '0.85em', large: '1.3em' } as const;
/** The largest text that counts as small, and the smallest text that counts as large, in pixels. */
const SMALL_PX = 12;
const LARGE_PX = 18;
/** The length of each unit in pixels. */
const PIXELS: Readonly<Record<string, number>> = { px: 1, pt: 4 / 3, em: 14, '%': 0.14 };

/**
 * The declarations of a style attribute, by lower-case property. The last declaration of a property counts. Values with a URL are left out.
 */
function declarationsOf(style: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const declaration of style.slice(0, 4_000).split(';')) {
    const colon = declaration.indexOf(':');
    const value = declaration
      .slice(colon + 1)
      .replace(/!\s*important/i, '')
      .trim()
      .toLowerCase();
    if (colon > 0 && !value.includes('url('))
      found.set(declaration.slice(0, colon).trim().toLowerCase(), value);
  }
  return found;
}

/** Reads the style of text. Black text and white backgrounds are left out, because they are the defaults of the program they come from. */
export function textStyleOf(style: string): TextStyle {
  const found = declarationsOf(style);
  const color = hexOf(found.get('color') ?? '');
  const background = backgroundOf(style);
  return {
    color: color === null || isNear(color, 0) ? null : color,
    background,
    size: sizeOf(found.get('font-size') ?? ''),
  };
}

/** The background color; null if there is none, or if it is white. */
export function backgroundOf(style: string): string | null {
  const found = declarationsOf(style);
  const background = hexOf(
    found.get('background-color') ?? found.get('background') ?? found.get('mso-highlight') ?? '',
  );
  return background === null || isNear(background, 255) ? null : background;
}

export function alignOf(style: string): Align | null {
  const align = declarationsOf(style).get('text-align') ?? '';
  return ALIGNS.includes(align) ? (align as Align) : null;
}

/** The style attribute for mail. Empty if the text has no style. */
export function styleOf({ color, background, size }: TextStyle): string {
  const ink = color ?? (background === null ? null : ON_HIGHLIGHT);
  return [
    ink === null ? '' : `color: ${ink}`,
    background === null ? '' : `background-color: ${background}`,
    size === null ? '' : `font-size: ${SIZES[size]}`,
  ]
    .filter((declaration) => declaration !== '')
    .join('; ');
}

/** @returns the color as `#rrggbb`; null if the value is not an opaque color */
export function hexOf(value: string): string | null {
  const short = /^#([\da-f])([\da-f])([\da-f])$/.exec(value);
  if (short !== null)
    return `#${short
      .slice(1)
      .map((digit) => digit + digit)
      .join('')}`;
  if (/^#[\da-f]{6}$/.test(value)) return value;
  const rgb = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*(?:1|1\.0|100%)\s*)?\)$/.exec(
    value,
  );
  if (rgb !== null)
    return `#${rgb
      .slice(1, 4)
      .map((part) => Math.min(255, Number(part)).toString(16).padStart(2, '0'))
      .join('')}`;
  return Object.hasOwn(NAMED, value) ? (NAMED[value] ?? null) : null;
}

/** Whether each channel of a color is near the value. */
function isNear(hex: string, value: number): boolean {
  return [1, 3, 5].every((at) => Math.abs(Number.parseInt(hex.slice(at, at + 2), 16) - value) <= 40);
}

function sizeOf(value: string): TextStyle['size'] {
  if (/^(?:x+-)?small(?:er)?$/.test(value)) return 'small';
  if (/^(?:x+-)?large(?:r)?$/.test(value)) return 'large';
  const [, amount = '', unit = ''] = /^([\d.]+)(px|pt|em|%)$/.exec(value) ?? [];
  const px = Number(amount) * (PIXELS[unit] ?? Number.NaN);
  if (px <= SMALL_PX) return 'small';
  return px >= LARGE_PX ? 'large' : null;
}
