/**
 * Rewrites the HTML of a message tag by tag, from an allowlist. This file writes every `<` of the result, so that a browser finds exactly
 * the tags that were checked. Elements that a browser could parse differently (foreign content, scripts, frames, forms, `meta`, `base` and
 * `link`) are removed.
 */
import { decodeEntities } from '../message/html-entities.ts';
import { endOfComment, endOfRaw, kindOfMarkup, nextMarkup, RAW } from '../message/html-scan.ts';
import { FullTagReader } from '../message/html-tags.ts';
import { cleanDeclarations, cleanStyle, type StyleRules } from './clean-style.ts';

/**
 * The allowed elements. No allowed element loads content, runs code or navigates on its own. `bdo` is not allowed, because `bdo` reverses
 * text. Tags of allowed elements are rewritten. Tags of other elements are removed, but the content of these elements stays.
 */
export const ELEMENTS = set(
  'a abbr acronym address area article aside b bdi big blockquote body br caption center cite code col colgroup dd del details dfn ' +
    'dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hgroup hr html i img ins kbd label legend li main map mark ' +
    'nav ol p picture pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr',
);

/** Elements that are removed with their content, because browsers parse the content by other rules. */
const REMOVED = set('svg math object applet audio video canvas template select frameset');

/** Attributes that only affect presentation or naming. */
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
  attributes: Readonly<Record<string, string>>;
  /** HTML to write after the end tag of the link. */
  htmlAfter?: string;
}

export interface ShownRules
  extends Pick<StyleRules, 'theme' | 'allowsSelector' | 'keepsDeclaration' | 'mapColors'> {
  /** Returns the URL to write for an image; null to remove the image. @param isOfStyle whether the URL is from a style, not an `img` */
  image(url: string, isOfStyle: boolean): string | null;
  /** Whether to keep an allowed attribute. Default: true. @param element in lower case @param name in lower case */
  keepsAttribute?: ((element: string, name: string, value: string) => boolean) | undefined;
  /** Maximum nesting depth. The tags of deeper elements are removed. Requires HTML in which every element is closed. */
  maxDepth?: number;
  /** Returns the form in which to write a link. @param href the URL, without white space at its ends */
  link(href: string): WrittenLink;
}

export interface ShownHtml {
  html: string;
  /** Whether the message has styles for a dark theme. */
  hasOwnDark: boolean;
  /** Whether the message sets colors. */
  hasColors: boolean;
}

const DARK_STYLE = /prefers-color-scheme\s*:\s*dark|color-scheme\s*:[^;}]{0,60}\bdark\b/i;
const COLOR_ATTRIBUTES = new Set(['bgcolor', 'color', 'background']);
/** The properties that attributes set. */
const COLOR_PROPERTIES: Readonly<Record<string, string>> = { bgcolor: 'background-color', color: 'color' };
/** The maximum number of list items with an explicit number. Attack: each item renumbers all later items, which takes quadratic time. */
const MAX_NUMBERED = 500;
/** Characters that browsers ignore within a URL. */
const IGNORED_IN_URL = /[\t\r\n]/g;

/** Rewrites HTML in one pass, in linear time for any text. */
export function writeShown(html: string, rules: ShownRules): ShownHtml {
  const shown: string[] = [];
  let hasOwnDark = false;
  let hasColors = false;
  /** The HTML to write after each open link, the innermost last. Links can nest, because a table in a link may contain another link. */
  const htmlAfterLinks: string[] = [];
  let htmlAfterLink = '';
  let depth = 0;
  let numbered = 0;
  const { maxDepth = Number.POSITIVE_INFINITY } = rules;
  const tag = new FullTagReader();
  const styleRules = {
    theme: rules.theme,
    allowsSelector: rules.allowsSelector,
    keepsDeclaration: rules.keepsDeclaration,
    mapColors: rules.mapColors,
    image: (url: string) => rules.image(url.replaceAll(IGNORED_IN_URL, ''), true),
    onColor: () => {
      hasColors = true;
    },
  };

  const writeTag = (): void => {
    shown.push('<', tag.name);
    for (const [name, written] of tag.attributes) {
      const value = decodeEntities(written);
      if (ATTRIBUTES.has(name) && rules.keepsAttribute?.(tag.name, name, value) === false) continue;
      if (COLOR_ATTRIBUTES.has(name)) hasColors = true;
      if (IMAGE_ATTRIBUTES.has(name)) {
        const url = rules.image(value.trim().replaceAll(IGNORED_IN_URL, ''), tag.name !== 'img');
        if (url !== null) shown.push(attribute(name, url));
      } else if (name === 'style') shown.push(attribute(name, cleanDeclarations(value, styleRules)));
      else if (name === 'href') {
        const link = rules.link(value.trim());
        for (const [each, text] of Object.entries(link.attributes)) shown.push(attribute(each, text));
        if (tag.name === 'a') htmlAfterLink = link.htmlAfter ?? '';
      } else if (COUNTS.has(name))
        shown.push(attribute(name, String(Math.min(Number.parseInt(value) || 1, MAX_COUNT))));
      else if (name === 'title' ? tag.hrefAt !== -1 : name === 'value' && ++numbered > MAX_NUMBERED) continue;
      else if (ATTRIBUTES.has(name)) {
        const property = COLOR_PROPERTIES[name];
        shown.push(
          attribute(name, property === undefined ? value : (rules.mapColors?.(property, value) ?? value)),
        );
      }
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
      if (name === 'a') shown.push(htmlAfterLinks.pop() ?? '');
    } else if (ELEMENTS.has(name)) {
      htmlAfterLink = '';
      if (VOID.has(name) || ++depth <= maxDepth) writeTag();
      if (name === 'a') htmlAfterLinks.push(htmlAfterLink);
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
  // Attack: a link without an end tag, so that the HTML to write after the link would be lost.
  for (const htmlAfter of htmlAfterLinks.reverse()) if (htmlAfter !== '') shown.push('</a>', htmlAfter);
  return { html: shown.join(''), hasOwnDark, hasColors };
}

/** @param name an allowed name @param value untrusted text */
export function attribute(name: string, value: string): string {
  return ` ${name}="${escapeHtml(value)}"`;
}

/** Escapes text, for use as text and as an attribute value in double quotes. */
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
