/** Builds lines of plain text from runs of HTML text. */

/** The maximum indentation of quotes and lists. Attack: with deep nesting, every line grows with the depth. */
const MAX_DEPTH = 4;

const SPACES = ['', ' ', '  '];

const SPACE_RUN = /[ \t\n\r\f\u00a0]+/g;
/** Control characters and invisible characters: soft hyphen, zero-width space, word joiner and grapheme joiner. */
const NOTHING_SHOWN = /[[\p{Cc}]--[\t\n\r\f]]|[\u00ad\u200b\u2060\ufeff]|\u034f/gv;
const NEEDS_CLEANING = /[\p{Cc}\u00a0\u00ad\u200b\u2060\ufeff]|\u034f| {2}/u;
const LINE_END = /\r\n?|\n/;

export class TextBuilder {
  #chunks: string[] = [];
  /** The number of line breaks to write before the next content, if there is any. */
  #newlines = 0;
  #spaces = 0;
  /** For each open list, the number of the next item; 0 if the list has no numbers. */
  #lists: number[] = [];
  #quotes = 0;
  #marker = '';
  /** The index of the chunk at which the content of the open link begins; -1 while the link has no content. */
  #linkAt = -1;
  #linkUrl = '';

  /** Adds text between tags. Runs of white space become one space. */
  text(raw: string): void {
    let text = raw;
    if (NEEDS_CLEANING.test(text)) text = text.replace(NOTHING_SHOWN, '').replace(SPACE_RUN, ' ');
    const start = text.startsWith(' ') ? 1 : 0;
    const end = text.length > start && text.endsWith(' ') ? text.length - 1 : text.length;
    if (start === 1) this.#spaces ||= 1;
    if (start === end) return;
    this.#write(text.slice(start, end));
    this.#spaces = end < text.length ? 1 : 0;
  }

  /** Adds text whose line ends and spaces are preserved. */
  preformatted(raw: string): void {
    raw.split(LINE_END).forEach((line, at) => {
      if (at > 0) this.#newlines++;
      const text = line.replaceAll('\u00a0', ' ').replace(NOTHING_SHOWN, '').trimEnd();
      if (text !== '') this.#write(text);
    });
  }

  /** Ends the current line, if any. @param newlines 2 to add an empty line after the line */
  endLine(newlines: 1 | 2): void {
    this.#newlines = Math.max(this.#newlines, newlines);
  }

  /** Adds the line break of a `<br>`. Several `<br>` in a row make at most one empty line. */
  lineBreak(): void {
    this.#newlines = Math.max(this.#newlines, Math.min(this.#newlines + 1, 2));
  }

  nextCell(): void {
    this.#spaces = 2;
  }

  rule(): void {
    this.endLine(2);
    this.#write('---');
    this.endLine(2);
  }

  openList(isNumbered: boolean): void {
    this.endLine(this.#lists.length === 0 ? 2 : 1);
    this.#lists.push(isNumbered ? 1 : 0);
  }

  closeList(): void {
    this.#lists.pop();
    this.endLine(this.#lists.length === 0 ? 2 : 1);
  }

  listItem(): void {
    this.endLine(1);
    const number = this.#lists.at(-1) ?? 0;
    this.#marker = number === 0 ? '- ' : `${number}. `;
    if (number > 0) this.#lists[this.#lists.length - 1] = number + 1;
  }

  openQuote(): void {
    this.endLine(2);
    this.#quotes++;
  }

  closeQuote(): void {
    this.endLine(2);
    this.#quotes = Math.max(0, this.#quotes - 1);
  }

  openLink(url: string): void {
    this.closeLink();
    this.#linkUrl = url;
    this.#linkAt = -1;
  }

  /** Ends the link and adds its URL, unless the text is the URL. */
  closeLink(): void {
    const url = this.#linkUrl;
    if (url === '') return;
    this.#linkUrl = '';
    if (this.#linkAt === -1) return this.#write(url);
    const text = this.#chunks.slice(this.#linkAt).join('').trim();
    if (bare(text) !== bare(url)) this.#chunks.push(` (${url})`);
  }

  finish(): string {
    this.closeLink();
    return this.#chunks.join('');
  }

  #write(text: string): void {
    const isStart = this.#chunks.length === 0;
    if (isStart || this.#newlines > 0) {
      this.#chunks.push((isStart ? '' : '\n'.repeat(this.#newlines)) + this.#linePrefix());
    } else if (this.#spaces > 0) {
      this.#chunks.push(SPACES[this.#spaces] as string);
    }
    this.#newlines = 0;
    this.#spaces = 0;
    if (this.#linkUrl !== '' && this.#linkAt === -1) this.#linkAt = this.#chunks.length;
    this.#chunks.push(text);
  }

  #linePrefix(): string {
    const marker = this.#marker;
    this.#marker = '';
    if (this.#quotes === 0 && this.#lists.length === 0) return marker;
    const indent = '  '.repeat(Math.min(this.#lists.length, MAX_DEPTH));
    return (
      '> '.repeat(Math.min(this.#quotes, MAX_DEPTH)) + (marker === '' ? indent : indent.slice(2) + marker)
    );
  }
}

/** The short form of a URL, without `https://` and the final slash, for comparison with the text of a link. */
function bare(url: string): string {
  return url.replace(/^https?:\/\//i, '').replace(/\/$/, '');
}
