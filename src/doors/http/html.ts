/** A template tag for HTML. Values are escaped, except for values that the tag itself created. */

class SafeHtml {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Text that is already HTML. Only `html` creates it. */
export type Html = SafeHtml;

type Part = Html | string | number | null | readonly Part[];

/** Templates must put attribute values in quotes, because escaped text is safe only inside quotes and between tags. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? '';
  for (const [at, part] of parts.entries()) text += render(part) + (strings[at + 1] ?? '');
  return new SafeHtml(text);
}

/** Joins the parts with a separator. */
export function joined(parts: readonly Part[], separator: Part): Html {
  return html`${parts.map((part, at) => (at === 0 ? part : [separator, part]))}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function render(part: Part): string {
  if (part === null) return '';
  if (part instanceof SafeHtml) return part.toString();
  if (typeof part === 'object') return part.map(render).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
