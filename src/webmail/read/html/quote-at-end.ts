/**
 * Where the message that is answered begins, which mail programs put below the answer. In a conversation it is there anyway, so it is folded
 * away. Each program marks it in its own way.
 */

/** What is needed of the document that jsdom makes: the types of browsers are not those of Node. */
export interface QuoteNode {
  nodeType: number;
  nodeName: string;
  textContent: string | null;
  parentNode: QuoteNode | null;
  previousSibling: QuoteNode | null;
  nextSibling: QuoteNode | null;
}
export interface QuoteElement extends QuoteNode {
  matches(selector: string): boolean;
  closest(selector: string): QuoteElement | null;
  querySelector(selector: string): QuoteElement | null;
  querySelectorAll(selector: string): ArrayLike<QuoteElement>;
}

/** Gmail, Yahoo, Proton; Apple Mail, Thunderbird and this service; all others. */
const QUOTES = '.gmail_quote, .gmail_quote_container, .yahoo_quoted, .protonmail_quote, blockquote';
const MARKED =
  '.gmail_quote, .gmail_quote_container, .yahoo_quoted, .protonmail_quote, blockquote[type=cite]';
/** Outlook: a line, below which everything is quoted. */
const BEGINNINGS = '#appendonsend, #divRplyFwdMsg';
const HANDED_ON = /^\s*-{2,}\s*(?:forwarded|weitergeleitete)/i;
const MAX_ATTRIBUTION = 400;
const ELEMENT = 1;

/** @returns the first node of what is quoted up to the end; null: nothing is, or all of it. In time proportional to the document and its depth */
export function quoteAtEnd(body: QuoteElement): QuoteNode | null {
  const beginning = body.querySelector(BEGINNINGS);
  if (beginning !== null && beginning.closest('blockquote') === null)
    return saysSomethingBefore(beginning, body) ? beginning : null;
  const all = body.querySelectorAll(QUOTES);
  let quote = all[all.length - 1] ?? null;
  for (let around = quote; around !== null && around !== body; ) {
    quote = around;
    around = elementAbove(around)?.closest(QUOTES) ?? null;
  }
  if (quote === null || quote === body || saysSomethingBehind(quote, body)) return null;
  if (HANDED_ON.test(quote.textContent ?? '')) return null;
  const attribution = attributionOf(quote);
  if (attribution !== null && saysSomethingBefore(attribution, body)) return attribution;
  // Else the line may be the answer itself: "As you said:".
  return quote.matches(MARKED) && saysSomethingBefore(quote, body) ? quote : null;
}

function elementAbove({ parentNode }: QuoteNode): QuoteElement | null {
  return parentNode?.nodeType === ELEMENT ? (parentNode as QuoteElement) : null;
}

/** "On Monday Ann wrote:", where it stands before the quote and not within it. */
function attributionOf(quote: QuoteNode): QuoteNode | null {
  let before = quote.previousSibling;
  while (before !== null && isBlank(before)) before = before.previousSibling;
  const text = before?.textContent?.trim() ?? '';
  return text.length < MAX_ATTRIBUTION && text.endsWith(':') ? before : null;
}

function isBlank({ nodeName, textContent }: QuoteNode): boolean {
  return nodeName === 'BR' || (nodeName !== 'IMG' && nodeName !== 'HR' && (textContent ?? '').trim() === '');
}

function saysSomething(node: QuoteNode): boolean {
  if (node.nodeName === 'STYLE') return false;
  if (node.nodeName === 'IMG' || (node.textContent ?? '').trim() !== '') return true;
  return node.nodeType === ELEMENT && (node as QuoteElement).querySelector('img') !== null;
}

function saysSomethingBefore(from: QuoteNode, body: QuoteNode): boolean {
  for (let level: QuoteNode | null = from; level !== null && level !== body; level = level.parentNode)
    for (let each = level.previousSibling; each !== null; each = each.previousSibling)
      if (saysSomething(each)) return true;
  return false;
}

function saysSomethingBehind(from: QuoteNode, body: QuoteNode): boolean {
  for (let level: QuoteNode | null = from; level !== null && level !== body; level = level.parentNode)
    for (let each = level.nextSibling; each !== null; each = each.nextSibling)
      if (saysSomething(each)) return true;
  return false;
}
