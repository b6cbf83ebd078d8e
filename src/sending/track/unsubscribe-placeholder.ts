/** The placeholder in an email for each recipient's unsubscribe link (docs/tracking.md). */

const NAME = 'unsubscribe_url';
/** The placeholder as the documentation writes it. */
export const UNSUBSCRIBE_PLACEHOLDER = `{{${NAME}}}`;
const PLACEHOLDER = /\{\{ ?unsubscribe_url ?\}\}/;
const ALL = new RegExp(PLACEHOLDER, 'g');
/** In a header field the link is always put in angle brackets (RFC 2369, section 2), whether or not the caller wrote them. */
const IN_FIELD = new RegExp(`<${PLACEHOLDER.source}>|${PLACEHOLDER.source}`, 'g');

/**
 * The maximum number of placeholders filled in per part. Stops this attack: a text that consists of placeholders grows to many times its
 * size.
 */
const MAX_FILLED = 100;

const FIELD = 'list-unsubscribe';
const POST_FIELD = 'list-unsubscribe-post';

type Headers = Readonly<Record<string, string>>;

export interface PlaceholderContent {
  html?: string | null | undefined;
  text?: string | null | undefined;
  headers?: Headers | null | undefined;
}

/** Whether the HTML, the text or the field `List-Unsubscribe` contains the placeholder. */
export function hasUnsubscribePlaceholder({ html, text, headers }: PlaceholderContent): boolean {
  return holds(html) || holds(text) || holds(Object.entries(headers ?? {}).find(isField)?.[1]);
}

/** Replaces the placeholders with the link, except placeholders after the hundredth. */
export function fillPlaceholder(text: string, url: string): string {
  if (!text.includes(NAME)) return text;
  let filled = 0;
  return text.replaceAll(ALL, (placeholder) => (++filled > MAX_FILLED ? placeholder : url));
}

/**
 * Adds the fields of RFC 8058 to the caller's header fields. If the caller's own `List-Unsubscribe` field does not contain the placeholder,
 * the field has another target and is left unchanged.
 */
export function unsubscribeHeaders(headers: Headers | null, url: string): Record<string, string> {
  const own = Object.entries(headers ?? {});
  const field = own.find(isField);
  if (field !== undefined && !holds(field[1])) return { ...headers };
  const others = own.filter((one) => one !== field && one[0].toLowerCase() !== POST_FIELD);
  return {
    ...Object.fromEntries(others),
    'List-Unsubscribe': field === undefined ? `<${url}>` : field[1].replaceAll(IN_FIELD, () => `<${url}>`),
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

function isField([name]: [string, string]): boolean {
  return name.toLowerCase() === FIELD;
}

function holds(text: string | null | undefined): boolean {
  return typeof text === 'string' && text.includes(NAME) && PLACEHOLDER.test(text);
}
