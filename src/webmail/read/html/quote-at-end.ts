/**
 * Finds the start of the quoted message that mail programs put below a reply. The quote is collapsed, because the conversation also shows
 * the quoted message itself. Each mail program marks quotes in its own way.
 */

/** The part of a jsdom document that we use. Node has no types for the DOM. */
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

/** The quotes of Gmail, Yahoo and Proton, and `blockquote` for Apple Mail, Thunderbird, this service and all others. */
const QUOTES = '.gmail_quote, .gmail_quote_container, .yahoo_quoted, .protonmail_quote, blockquote';
const MARKED =
  '.gmail_quote, .gmail_quote_container, .yahoo_quoted, .protonmail_quote, blockquote[type=cite]';
/** Outlook: everything below this element is quoted. */
const BEGINNINGS = '#appendonsend, #divRplyFwdMsg';
const HANDED_ON = /^\s*-{2,}\s*(?:forwarded|weitergeleitete)/i;
const MAX_ATTRIBUTION = 400;
const ELEMENT = 1;

/**
 * Takes time proportional to the size and depth of the document.
 * @returns the first node of the quote at the end; null if nothing or everything is quoted
 */
export function quoteAtEnd(body: QuoteElement): QuoteNode | null {
  const beginning = body.querySelector(BEGINNINGS);
  if (beginning !== null && beginning.closest('blockquote') === null)
    return hasContentBefore(beginning, body) ? beginning : null;
  const all = body.querySelectorAll(QUOTES);
  let quote = all[all.length - 1] ?? null;
  for (let around = quote; around !== null && around !== body; ) {
    quote = around;
    around = elementAbove(around)?.closest(QUOTES) ?? null;
  }
  if (quote === null || quote === body || hasContentAfter(quote, body)) return null;
  if (HANDED_ON.test(quote.textContent ?? '')) return null;
  const attribution = attributionOf(quote);
  if (attribution !== null && hasContentBefore(attribution, body)) return attribution;
  // If the quote is not marked, the line before the quote may be the reply itself: "As you said:".
  return quote.matches(MARKED) && hasContentBefore(quote, body) ? quote : null;
}

function elementAbove({ parentNode }: QuoteNode): QuoteElement | null {
  return parentNode?.nodeType === ELEMENT ? (parentNode as QuoteElement) : null;
}

/** The line "On Monday Ann wrote:", if this line precedes the quote instead of being part of it. */
function attributionOf(quote: QuoteNode): QuoteNode | null {
  let before = quote.previousSibling;
  while (before !== null && isBlank(before)) before = before.previousSibling;
  const text = before?.textContent?.trim() ?? '';
  return text.length < MAX_ATTRIBUTION && text.endsWith(':') ? before : null;
}

function isBlank({ nodeName, textContent }: QuoteNode): boolean {
  return nodeName === 'BR' || (nodeName !== 'IMG' && nodeName !== 'HR' && (textContent ?? '').trim() === '');
}

function hasContent(node: QuoteNode): boolean {
  if (node.nodeName === 'STYLE') return false;
  if (node.nodeName === 'IMG' || (node.textContent ?? '').trim() !== '') return true;
  return node.nodeType === ELEMENT && (node as QuoteElement).querySelector('img') !== null;
}

function hasContentBefore(from: QuoteNode, body: QuoteNode): boolean {
  for (let level: QuoteNode | null = from; level !== null && level !== body; level = level.parentNode)
    for (let each = level.previousSibling; each !== null; each = each.previousSibling)
      if (hasContent(each)) return true;
  return false;
}

function hasContentAfter(from: QuoteNode, body: QuoteNode): boolean {
  for (let level: QuoteNode | null = from; level !== null && level !== body; level = level.parentNode)
    for (let each = level.nextSibling; each !== null; each = each.nextSibling)
      if (hasContent(each)) return true;
  return false;
}
