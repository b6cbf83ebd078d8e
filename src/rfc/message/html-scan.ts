/** Finds the start, the kind and the end of markup in HTML. */

const SLASH = 0x2f;
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;

/** Elements whose content is not HTML, ends at the first end tag of the same name, and is never shown as text. */
export const RAW: ReadonlySet<string> = new Set(
  'iframe noembed noframes script style textarea title xmp'.split(' '),
);

/** The kind of the markup that begins at `open`. For a declaration, `comment`. */
export function kindOfMarkup(html: string, open: number): 'comment' | 'start' | 'end' {
  const next = html.charCodeAt(open + 1);
  if (next === EXCLAMATION || next === QUESTION) return 'comment';
  return next === SLASH ? 'end' : 'start';
}

/** The position of the next `<` that begins a tag or a comment, or the end of the text. */
export function nextMarkup(html: string, start: number): number {
  for (let at = html.indexOf('<', start); at !== -1; at = html.indexOf('<', at + 1)) {
    let code = html.charCodeAt(at + 1);
    if (code === EXCLAMATION || code === QUESTION) return at;
    if (code === SLASH) code = html.charCodeAt(at + 2);
    if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) return at;
  }
  return html.length;
}

/** The position after the comment that begins at `open`. */
export function endOfComment(html: string, open: number): number {
  // `<!-->` is a complete comment.
  const isComment = html.startsWith('<!--', open);
  const close = isComment ? html.indexOf('-->', open + 2) : html.indexOf('>', open);
  if (close === -1) return html.length;
  return close + (isComment ? 3 : 1);
}

/** The position of the end tag of a raw element, or the end of the text. */
export function endOfRaw(html: string, start: number, name: string): number {
  for (let at = html.indexOf('</', start); at !== -1; at = html.indexOf('</', at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return at;
  }
  return html.length;
}
