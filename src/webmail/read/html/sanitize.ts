/**
 * Parses the HTML of a message as a browser would (jsdom) and removes everything that runs, loads or navigates by itself (DOMPurify). The
 * allowlist of `rfc/html` then serializes the result again. DOMPurify and the allowlist are independent defenses. Use this module only in
 * the worker thread, because loading it takes half a second and 80 MB.
 */
import { randomUUID } from 'node:crypto';
import createDOMPurify, { type Config, type WindowLike } from 'dompurify';
import { JSDOM } from 'jsdom';
import { type QuoteElement, quoteAtEnd, type QuoteNode } from './quote-at-end.ts';

/** After this many uses the window is replaced, to free the memory that it retains. Creating a window takes 10 ms. */
const MAX_USES = 200;

const CONFIG = {
  RETURN_DOM: true,
  USE_PROFILES: { html: true },
  WHOLE_DOCUMENT: true,
  // `meta` declares whether a message supports a dark theme. `writeShown` reads the element and drops it.
  ADD_TAGS: ['meta'],
  ADD_ATTR: ['content', 'bgcolor', 'background', 'text', 'link', 'nowrap', 'valign'],
  FORBID_TAGS: [
    'form',
    'input',
    'button',
    'textarea',
    'select',
    'option',
    'optgroup',
    'datalist',
    'fieldset',
    'output',
    'dialog',
    'audio',
    'video',
    'source',
    'track',
    'template',
    'slot',
    'canvas',
    'meter',
    'progress',
    'marquee',
    'math',
    'svg',
  ],
  FORBID_ATTR: [
    'srcset',
    'sizes',
    'loading',
    'ping',
    'autofocus',
    'tabindex',
    'accesskey',
    'contenteditable',
    'popover',
  ],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  // DOMPurify tests all attribute values with this expression, not only URLs. A value may have one of these schemes, or no scheme.
  ALLOWED_URI_REGEXP: /^(?:(?:https?|mailto|cid):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
  // Prevents DOM clobbering. No script runs within the frame, but the HTML may also be read elsewhere.
  SANITIZE_DOM: true,
} as const satisfies Config;

type Purifier = ReturnType<typeof createDOMPurify>;

let purifier: Purifier | null = null;
let uses = 0;

interface SanitizedHtml {
  /** A whole document, serialized as a browser would. */
  html: string;
  /** The offset in `html` at which the quote at the end begins. Null if the message does not end with a quote. */
  quoteAt: number | null;
}

/** The part of the sanitized document that we use. */
interface CleanDocument extends QuoteElement {
  outerHTML: string;
  ownerDocument: { createComment(text: string): QuoteNode };
}

export function sanitizeHtml(dirty: string): SanitizedHtml {
  if (purifier === null || ++uses > MAX_USES) {
    purifier = newPurifier();
    uses = 0;
  }
  const root = purifier.sanitize(dirty, CONFIG) as unknown as CleanDocument | null;
  if (root === null) return { html: '', quoteAt: null };
  const body = root.querySelector('body');
  const quote = body === null ? null : quoteAtEnd(body);
  if (quote === null) return { html: htmlOf(root), quoteAt: null };
  // This comment is unique: comments of the message have been removed, and an attacker cannot guess this text to put it into an attribute.
  const mark = root.ownerDocument.createComment(randomUUID());
  (quote.parentNode as unknown as { insertBefore(node: QuoteNode, before: QuoteNode): void }).insertBefore(
    mark,
    quote,
  );
  const [before = '', behind = ''] = htmlOf(root).split(`<!--${mark.textContent}-->`);
  return { html: before + behind, quoteAt: before.length };
}

/** Serializes the document without invisible characters that reverse text. Attack: an address that is written backwards and reversed. */
function htmlOf({ outerHTML }: CleanDocument): string {
  return outerHTML.replaceAll(/[\u202d\u202e]/g, '');
}

function newPurifier(): Purifier {
  const { window } = new JSDOM('');
  const made = createDOMPurify(window as unknown as WindowLike);
  // Old mail programs put styles in an HTML comment. DOMPurify would mistake the comment for an attack and remove the styles.
  made.addHook('beforeSanitizeElements', (node) => {
    if (node.nodeName === 'STYLE' && node.textContent !== null)
      node.textContent = node.textContent.replaceAll(/<!--|-->/g, '').replaceAll('<', '< ');
  });
  return made;
}
