/**
 * Rewrites the HTML of a message tag by tag, from an allowlist: every `<` of the result is written by this file. So a browser finds
 * exactly the tags that were checked, and anything that it could parse differently (foreign content, scripts, frames, forms, `meta`,
 * `base` and `link`) is removed.
 */
import { decodeEntities } from '../message/html-entities.ts';
import { endOfComment, endOfRaw, kindOfMarkup, nextMarkup, RAW } from '../message/html-scan.ts';
import { FullTagReader } from '../message/html-tags.ts';
import { cleanDeclarations, cleanStyle, type StyleRules } from './clean-style.ts';

/**
 * The allowed elements. No allowed element loads, runs or navigates by itself. `bdo` is not allowed, because it reverses text. Tags of
 * allowed elements are rewritten; the tags of other elements are removed and their content stays.
 */
export const ELEMENTS = set(
  'a abbr acronym address area article aside b bdi big blockquote body br caption center cite code col colgroup dd del details dfn ' +
    'dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hgroup hr html i img ins kbd label legend li main map mark ' +
    'nav ol p picture pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr',
);

/** Elements that are removed with their content, which browsers parse by other rules. */
const REMOVED = set('svg math object applet audio video canvas template select frameset');

/** Attributes whose values only affect presentation or naming. */
export const ATTRIBUTES = set(
  'abbr align alt bgcolor border cellpadding cellspacing class clear color cols colspan coords datetime dir face headers height hidden hspace ' +
    'id lang name noshade nowrap open reversed role rows rowspan rules scope shape size span start summary title type usemap valign value vspace ' +
    'width',
);

/** Attributes whose value is the URL of an image. */
const IMAGE_ATTRIBUTES = set('src background');

/** Attributes whose value is a number of cells or columns. */
const COUNTS = set('colspan rowspan span');

const MAX_COUNT = 100;

/** Elements without an end tag. */
const VOID = set('area br col hr img wbr');

/** The form in which to write a link. */
export interface WrittenLink {
  /** Attributes by name. */
  attributes: Readonly<Record<string, string>>;
  /** HTML to write after the end tag. */
  behind?: string;
}

export interface ShownRules extends Pick<StyleRules, 'theme' | 'selects' | 'declares'> {
  /** Returns the URL to write for an image, or null to remove it. @param isOfStyle whether the URL comes from a style instead of an `img` */
  image(url: string, isOfStyle: boolean): string | null;
  /** Whether to keep an allowed attribute. Default: keep all. @param element and @param name in lower case */
  describes?: ((element: string, name: string, value: string) => boolean) | undefined;
  /** Elements nested deeper lose their tags. Only valid for HTML in which every element is closed, as in the output of a browser's serializer. */
  maxDepth?: number;
  /** @param href without white space around it */
  link(href: string): WrittenLink;
}

export interface ShownHtml {
  html: string;
  /** Whether the message has styles for a dark theme. */
  hasOwnDark: boolean;
  /** Whether the message sets colours. */
  hasColours: boolean;
}

const DARK_STYLE = /prefers-color-scheme\s*:\s*dark|color-scheme\s*:[^;}]{0,60}\bdark\b/i;
const COLOUR_ATTRIBUTES = new Set(['bgcolor', 'color', 'background']);
/** The maximum list items with an explicit number. Each renumbers all items after it, which takes a browser quadratic time. */
const MAX_NUMBERED = 500;
/** Characters that browsers ignore within a URL. */
const IGNORED_IN_URL = /[\t\r\n]/g;

/** Makes one pass, in linear time for any text. */
export function writeShown(html: string, rules: ShownRules): ShownHtml {
  const shown: string[] = [];
  let hasOwnDark = false;
  let hasColours = false;
  /** The HTML to write after each open link, the innermost last. Links nest: a table in a link may contain another link. */
  const behindLinks: string[] = [];
  let behindLink = '';
  let depth = 0;
  let numbered = 0;
  const { maxDepth = Number.POSITIVE_INFINITY } = rules;
  const tag = new FullTagReader();
  const styleRules = {
    theme: rules.theme,
    selects: rules.selects,
    declares: rules.declares,
    image: (url: string) => rules.image(url.replaceAll(IGNORED_IN_URL, ''), true),
    onColour: () => {
      hasColours = true;
    },
  };

  const writeTag = (): void => {
    shown.push('<', tag.name);
    for (const [name, written] of tag.attributes) {
      const value = decodeEntities(written);
      if (ATTRIBUTES.has(name) && rules.describes?.(tag.name, name, value) === false) continue;
      if (COLOUR_ATTRIBUTES.has(name)) hasColours = true;
      if (IMAGE_ATTRIBUTES.has(name)) {
        const url = rules.image(value.trim().replaceAll(IGNORED_IN_URL, ''), tag.name !== 'img');
        if (url !== null) shown.push(attribute(name, url));
      } else if (name === 'style') shown.push(attribute(name, cleanDeclarations(value, styleRules)));
      else if (name === 'href') {
        const link = rules.link(value.trim());
        for (const [each, text] of Object.entries(link.attributes)) shown.push(attribute(each, text));
        if (tag.name === 'a') behindLink = link.behind ?? '';
      } else if (COUNTS.has(name))
        shown.push(attribute(name, String(Math.min(Number.parseInt(value) || 1, MAX_COUNT))));
      else if (name === 'title' ? tag.hrefAt !== -1 : name === 'value' && ++numbered > MAX_NUMBERED) continue;
      else if (ATTRIBUTES.has(name)) shown.push(attribute(name, value));
    }
    shown.push('>');
  };

  let at = 0;
  while (at < html.length) {
    const open = nextMarkup(html, at);
    shown.push(html.slice(at, open).replaceAll('<', '&lt;'));
    if (open === html.length) break;
    const kind = kindOfMarkup(html, open);
    if (kind === 'comment') {
      at = endOfComment(html, open);
      continue;
    }
    at = tag.read(html, open + (kind === 'end' ? 2 : 1));
    if (at === -1) break;
    const { name } = tag;
    if (kind === 'end') {
      if (ELEMENTS.has(name)) {
        if (depth <= maxDepth) shown.push('</', name, '>');
        depth = Math.max(0, depth - 1);
      }
      if (name === 'a') shown.push(behindLinks.pop() ?? '');
    } else if (ELEMENTS.has(name)) {
      behindLink = '';
      if (VOID.has(name) || ++depth <= maxDepth) writeTag();
      if (name === 'a') behindLinks.push(behindLink);
    } else if (name === 'meta') hasOwnDark ||= isDark(tag.attributes);
    else if ((RAW.has(name) || REMOVED.has(name)) && !(REMOVED.has(name) && tag.selfClosing)) {
      const end = endOfRaw(html, at, name);
      if (name === 'style') {
        const style = html.slice(at, end);
        hasOwnDark ||= DARK_STYLE.test(style);
        shown.push('<style>', cleanStyle(style, styleRules), '</style>');
      }
      at = end;
    }
  }
  // Attack: a link without an end tag, so that the HTML to write after it would be lost.
  for (const behind of behindLinks.reverse()) if (behind !== '') shown.push('</a>', behind);
  return { html: shown.join(''), hasOwnDark, hasColours };
}

/** @param name an allowed name @param value untrusted text */
export function attribute(name: string, value: string): string {
  return ` ${name}="${escapeHtml(value)}"`;
}

/** Escapes for text and for attribute values in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function isDark(attributes: ReadonlyMap<string, string>): boolean {
  const name = attributes.get('name') ?? '';
  return /^(?:supported-)?color-schemes?$/i.test(name) && /\bdark\b/i.test(attributes.get('content') ?? '');
}

function set(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}
