/** Text with `format=flowed`, whose lines were wrapped for sending (RFC 3676). */

export interface FlowedLine {
  /** The quote level. */
  depth: number;
  text: string;
}

/**
 * Joins flowed lines: a line that ends with a space continues in the next line of the same quote level (RFC 3676, section 4).
 * @param deletesSpace whether the part declares `delsp=yes`: the trailing space is removed when lines are joined
 */
export function joinFlowed(lines: readonly string[], deletesSpace: boolean, maxDepth: number): FlowedLine[] {
  const read: FlowedLine[] = [];
  let isOpen = false;
  for (const line of lines) {
    const marks = /^>*/.exec(line)?.[0].length ?? 0;
    const depth = Math.min(maxDepth, marks);
    // A leading space is stuffing (RFC 3676, section 4.4). For example, it keeps a line from being misread as a quote.
    const rest = line.slice(marks).replace(/^ /, '');
    const isBreak = rest === '-- ' || !rest.endsWith(' ');
    const part = !isBreak && deletesSpace ? rest.slice(0, -1) : rest;
    const last = read.at(-1);
    if (isOpen && last !== undefined && last.depth === depth && rest !== '-- ') last.text += part;
    else read.push({ depth, text: part });
    isOpen = !isBreak;
  }
  return read;
}

/**
 * How a part declares that its text is flowed (RFC 3676, section 4). `deletesSpace`: the trailing space is removed when lines are joined.
 * @param parameters of the Content-Type
 */
export function flowedFormat(parameters: ReadonlyMap<string, string> | undefined): {
  isFlowed: boolean;
  deletesSpace: boolean;
} {
  return {
    isFlowed: parameters?.get('format')?.toLowerCase() === 'flowed',
    deletesSpace: parameters?.get('delsp')?.toLowerCase() === 'yes',
  };
}

const MAX_DEPTH = 50;

/**
 * Converts text to one line for each paragraph if its part declares `format=flowed`. Quoted lines keep their quote marks.
 * @param text with LF as line end
 * @param parameters of the Content-Type
 */
export function unwrapIfFlowed(text: string, parameters: ReadonlyMap<string, string>): string {
  const { isFlowed, deletesSpace } = flowedFormat(parameters);
  if (!isFlowed) return text;
  return joinFlowed(text.split('\n'), deletesSpace, MAX_DEPTH)
    .map(({ depth, text: line }) => (depth === 0 ? line : `${'>'.repeat(depth)} ${line}`.trimEnd()))
    .join('\n');
}
