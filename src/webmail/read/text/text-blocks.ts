/** Splits plain text into blocks for display: detects links, separates quotes, and joins lines that were wrapped for sending (RFC 3676). */
import { type FlowedLine, joinFlowed } from '../../../rfc/message/flowed.ts';

export interface TextSpan {
  text: string;
  /** An http, https or mailto URL. Absent if the span is not a link. */
  href?: string;
}

interface TextBlock {
  kind: 'text' | 'quote' | 'signature';
  /** The quote level. */
  depth: number;
  /** Lines are separated by LF. */
  spans: TextSpan[];
}

export interface TextOptions {
  /** Whether the part declares `format=flowed`. */
  isFlowed: boolean;
  /** Whether the part declares `delsp=yes`: the trailing space is removed when lines are joined. */
  deletesSpace: boolean;
}

export interface TextBlocks {
  blocks: TextBlock[];
  /** Whether the text was truncated. */
  isCut: boolean;
}

const MAX_TEXT = 262_144;
const MAX_BLOCKS = 1_000;
const MAX_LINKS = 1_000;
const MAX_DEPTH = 50;
/** A link. Each part of the expression has a maximum length and starts at the beginning of a word. */
const LINK =
  /(?<![\p{L}\p{N}@/.:-])(?:https?:\/\/[^\s<>"\u0000-\u001f]{1,2000}|www\.[^\s<>"/@]{1,200}\.[a-z]{2,24}(?:\/[^\s<>"]{0,2000})?|(?:mailto:)?[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}@]))/giu;
const TRAILING = /[.,;:!?'’”»\])}*_]+$/;
/** Bidi controls, which can make text read as something else. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Never throws. Takes time proportional to the length of the text. @param text with LF as line end */
export function textBlocks(text: string, { isFlowed, deletesSpace }: TextOptions): TextBlocks {
  const shown = text.slice(0, MAX_TEXT).replace(CONTROLS, '').replace(TURNING, '').toWellFormed();
  const lines = isFlowed
    ? joinFlowed(shown.split('\n'), deletesSpace, MAX_DEPTH)
    : shown.split('\n').map(quotedLine);
  const blocks: { kind: TextBlock['kind']; depth: number; lines: string[] }[] = [];
  let isSignature = false;
  for (const { depth, text: line } of lines) {
    if (depth === 0 && (line === '-- ' || line === '--')) isSignature = true;
    else if (depth > 0) isSignature = false;
    const kind = depth > 0 ? 'quote' : isSignature ? 'signature' : 'text';
    const last = blocks.at(-1);
    if (last !== undefined && last.kind === kind && last.depth === depth) last.lines.push(line);
    else if (blocks.length === MAX_BLOCKS) return { blocks: withLinks(blocks), isCut: true };
    else blocks.push({ kind, depth, lines: [line] });
  }
  return { blocks: withLinks(blocks), isCut: text.length > MAX_TEXT };
}

/** A text without quotes, such as the description of an event, with its links. */
export function linkedText(text: string): TextSpan[] {
  const shown = text.replace(CONTROLS, '').replace(TURNING, '').toWellFormed();
  return withLinks([{ kind: 'text', depth: 0, lines: [shown] }])[0]?.spans ?? [];
}

function quotedLine(line: string): FlowedLine {
  const mark = /^(?:>[ \t]?){1,200}/.exec(line)?.[0] ?? '';
  const depth = Math.min(MAX_DEPTH, mark.replaceAll(/[^>]/g, '').length);
  return { depth, text: line.slice(mark.length) };
}

function withLinks(
  blocks: readonly { kind: TextBlock['kind']; depth: number; lines: string[] }[],
): TextBlock[] {
  let left = MAX_LINKS;
  return blocks.map(({ kind, depth, lines }) => {
    const text = lines.join('\n');
    const spans: TextSpan[] = [];
    let from = 0;
    for (const match of text.matchAll(LINK)) {
      if (left-- <= 0) break;
      const shown = trimmed(match[0]);
      const href = hrefOf(shown);
      if (href === null) continue;
      if (match.index > from) spans.push({ text: text.slice(from, match.index) });
      spans.push({ text: shown, href });
      from = match.index + shown.length;
    }
    if (from < text.length) spans.push({ text: text.slice(from) });
    return { kind, depth, spans };
  });
}

/** Removes trailing punctuation that belongs to the surrounding sentence. */
function trimmed(link: string): string {
  const cut = link.replace(TRAILING, '');
  // A closing parenthesis belongs to the link if it was opened within the link.
  return link[cut.length] === ')' && cut.includes('(') && !cut.includes(')') ? `${cut})` : cut;
}

function hrefOf(shown: string): string | null {
  if (/^https?:/i.test(shown)) return URL.parse(shown)?.href ?? null;
  if (/^www\./i.test(shown)) return URL.parse(`https://${shown}`)?.href ?? null;
  return URL.parse(`mailto:${shown.replace(/^mailto:/i, '')}`)?.href ?? null;
}
