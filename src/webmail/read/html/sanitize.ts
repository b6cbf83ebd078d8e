/**
 * HTML of mail as a browser would read it (jsdom), without what runs, loads or leads away by itself (DOMPurify). What comes out is written anew by the
 * list of `rfc/html` afterwards: two walls that know nothing of each other. It runs in the thread alone: to load it takes half a second and 80 MB.
 */
import { randomUUID } from 'node:crypto';
import createDOMPurify, { type Config, type WindowLike } from 'dompurify';
import { JSDOM } from 'jsdom';
import { type QuoteElement, quoteAtEnd, type QuoteNode } from './quote-at-end.ts';

/** A window is made anew now and then, in ten milliseconds: whatever it keeps of what was in it goes. */
const MAX_USES = 200;

const CONFIG = {
  RETURN_DOM: true,
  USE_PROFILES: { html: true },
  WHOLE_DOCUMENT: true,
  // `meta` says whether a message is for the dark; the writer leaves it out.
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
  // Of all values, not of addresses alone: these schemes, or what has none.
  ALLOWED_URI_REGEXP: /^(?:(?:https?|mailto|cid):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
  // A document without scripts has nothing that a name could stand in for; but whoever reads it outside of the frame might.
  SANITIZE_DOM: true,
} as const satisfies Config;

type Purifier = ReturnType<typeof createDOMPurify>;

let purifier: Purifier | null = null;
let uses = 0;

interface SanitizedHtml {
  /** A whole document, as a browser would write it. */
  html: string;
  /** Where in it begins what is quoted up to its end; null: nothing is. */
  quoteAt: number | null;
}

/** What is needed of the document that comes out. */
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
  // Of no message: its own comments are gone, and nobody guesses this one to write it into an attribute.
  const mark = root.ownerDocument.createComment(randomUUID());
  (quote.parentNode as unknown as { insertBefore(node: QuoteNode, before: QuoteNode): void }).insertBefore(
    mark,
    quote,
  );
  const [before = '', behind = ''] = htmlOf(root).split(`<!--${mark.textContent}-->`);
  return { html: before + behind, quoteAt: before.length };
}

/** Attack: an address that is written from its end, and turned round by a sign that nobody sees. */
function htmlOf({ outerHTML }: CleanDocument): string {
  return outerHTML.replaceAll(/[\u202d\u202e]/g, '');
}

function newPurifier(): Purifier {
  const { window } = new JSDOM('');
  const made = createDOMPurify(window as unknown as WindowLike);
  // Styles of old programs stand in a comment of HTML, which DOMPurify takes for an attack and throws away with them.
  made.addHook('beforeSanitizeElements', (node) => {
    if (node.nodeName === 'STYLE' && node.textContent !== null)
      node.textContent = node.textContent.replaceAll(/<!--|-->/g, '').replaceAll('<', '< ');
  });
  return made;
}
