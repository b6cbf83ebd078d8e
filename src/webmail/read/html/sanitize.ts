/**
 * HTML of mail as a browser would read it (jsdom), without what runs, loads or leads away by itself (DOMPurify). What comes out is written anew by the
 * list of `rfc/html` afterwards: two walls that know nothing of each other. It runs in the thread alone: to load it takes half a second and 80 MB.
 */
import createDOMPurify, { type Config, type WindowLike } from 'dompurify';
import { JSDOM } from 'jsdom';

/** A window is made anew now and then, in ten milliseconds: whatever it keeps of what was in it goes. */
const MAX_USES = 200;

const CONFIG: Config = {
  USE_PROFILES: { html: true },
  WHOLE_DOCUMENT: true,
  // `meta` says whether a message is for the dark; the writer leaves it out.
  ADD_TAGS: ['meta'],
  ADD_ATTR: ['content', 'bgcolor', 'background', 'text', 'link', 'nowrap', 'valign'],
  FORBID_TAGS: [
    ...[
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
    ],
    ...[
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
};

type Purifier = ReturnType<typeof createDOMPurify>;

let purifier: Purifier | null = null;
let uses = 0;

/** @returns a whole document, as a browser would write it */
export function sanitizeHtml(html: string): string {
  if (purifier === null || ++uses > MAX_USES) {
    purifier = newPurifier();
    uses = 0;
  }
  return purifier.sanitize(html, CONFIG);
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
