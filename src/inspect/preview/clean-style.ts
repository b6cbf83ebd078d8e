/** Styles of mail, without what they would load from elsewhere. */

// Each of these matches from where it begins, or stops where the next one could: no style is read twice from every place in it.
const IMPORT = /@import\b[^;{}]*;?/gi;
/** Styles within a comment of HTML, for browsers of the last century. */
const HTML_COMMENT = /<!--|-->/g;
/** A sign that could begin a tag; in a query such as `(width < 600px)` it stands alone. */
const MARKUP = /<(?=[a-z/!?])/gi;
const CHARSET = /@(?:charset|namespace)\b[^;{}]*;?/gi;
const FONT_FACE = /@font-face\s*\{[^}]*\}?/gi;
/** It takes names of images without `url()`. */
const IMAGE_SET = /(?:-webkit-)?image-set\s*\(/gi;
const URL_OF_STYLE = /url\s*\(([^()"']*|\s*"[^"]*"\s*|\s*'[^']*'\s*)\)/gi;
const QUOTES = /^["']|["']$/g;
const SCHEME_QUERY = /\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi;

export type Theme = 'light' | 'dark';

/**
 * In time proportional to the style. What a style hides in escapes from this is not loaded either: the policy of the answer sees to it.
 * @param theme that the queries for it are answered with, whatever the page around has
 * @param loads whether an image of that address may be loaded
 */
export function cleanStyle(style: string, theme: Theme, loads: (url: string) => boolean): string {
  const cleaned = style
    .replace(HTML_COMMENT, '')
    .replace(IMPORT, '')
    .replace(CHARSET, '')
    .replace(FONT_FACE, '')
    .replace(IMAGE_SET, 'none(')
    .replace(URL_OF_STYLE, (whole, named: string) =>
      loads(named.trim().replace(QUOTES, '').trim()) ? whole : 'none',
    )
    .replace(SCHEME_QUERY, (_, asked: string) =>
      asked.toLowerCase() === theme ? '(min-width: 0px)' : '(max-width: 0px)',
    );
  // Attack: pieces that make an end tag together once what was between them is gone.
  return cleaned.replace(MARKUP, '\\3c ');
}
