/** Names of variables: `order.id`, `items[0].name`, `order["ship to"]`. A user can copy such a name into a template. */
import { type PropertyAccessToken, type Token, TypeGuards } from 'liquidjs';

const { isNumberToken, isQuotedToken, isWordToken } = TypeGuards;

/** What Liquid takes for a word. Besides some ASCII characters, it may contain any others, except spaces and typographic quotes. */
const WORD = /^(?:[\w?-]|[^\x00-\x7f\s\u180e“”])+$/;
/** Keywords that cannot begin a variable. */
const NOT_ROOT = /^(?:true|false|nil|null|empty|blank|and|or|not|contains|-?\d+)$/;

/**
 * The first part of the name. Null if it is known only when the template is rendered, or if the value is not a variable, as in
 * `"text".size`.
 */
export function rootOf({ variable, props: [root] }: PropertyAccessToken): string | null {
  const segment = variable === undefined ? constant(root) : null;
  return segment === null ? null : String(segment);
}

/** The part of the name that is known before rendering: `prices` for `prices[plan]`. */
export function nameOf({ props }: PropertyAccessToken): string {
  let name = '';
  for (const [at, prop] of props.entries()) {
    const segment = constant(prop);
    if (segment === null) break;
    if (typeof segment === 'number') name += `[${segment}]`;
    else if (!WORD.test(segment) || (at === 0 && NOT_ROOT.test(segment)))
      name += `[${JSON.stringify(segment)}]`;
    else name += at === 0 ? segment : `.${segment}`;
  }
  return name;
}

function constant(token: Token | undefined): string | number | null {
  return isWordToken(token) || isQuotedToken(token) || isNumberToken(token) ? token.content : null;
}
