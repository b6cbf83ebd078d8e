/** Parses typed or pasted recipients: `Ann <ann@acme.example>, "Lee, Bo" <bo@acme.example>; cy@acme.example`. */

export interface Recipient {
  /** The name of the recipient; empty if the text has no name. */
  name: string;
  /** The address. If the typed text is not an address (see `isAddress`), the typed text. */
  address: string;
}

/** A longer text is not a list of recipients. */
const MAX_CHARACTERS = 100_000;
const BETWEEN = /[,;\n\r\t]/;
const ADDRESS =
  /^[^\s@<>()[\]\\,;:"]{1,64}@(?=.{1,253}$)(?:[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_-]{0,61}[\p{L}\p{N}\p{M}])?\.)+[\p{L}\p{N}][\p{L}\p{N}\p{M}-]*$/u;
/** A longer text is not a name with an address. */
const MAX_ONE = 1000;
const IN_ANGLES = /^(?<name>.*)<(?<address>[^<>]*)>$/s;
const WITH_COMMENT = /^(?<address>[^\s()]+@[^\s()]+)\s*\((?<name>[^()]*)\)$/;

/** Whether the text looks like an address that mail can be sent to. The service makes the final decision. */
export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

export function parseAddresses(text: string): Recipient[] {
  return splitList(text.slice(0, MAX_CHARACTERS)).flatMap(parseOne);
}

/** Formats a recipient so that `parseAddresses` can read the text. */
export function formatAddress({ name, address }: Recipient): string {
  if (name === '') return address;
  const shown = /[",;<>()@\\]/.test(name) ? `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"` : name;
  return `${shown} <${address}>`;
}

/**
 * Corrects the domain of a mistyped address. @param meant the intended address, which replaces every address that has the same local part
 */
export function withCorrected(list: readonly Recipient[], meant: string): Recipient[] {
  const person = (address: string) => address.slice(0, address.lastIndexOf('@')).toLowerCase();
  return list.map((one) => (person(one.address) === person(meant) ? { ...one, address: meant } : one));
}

/** Splits the text at separators outside quotes and angle brackets. */
function splitList(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let isQuoted = false;
  let isAngled = false;
  const lastQuote = text.lastIndexOf('"');
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (isQuoted && char === '\\') part += char + text.charAt(++at);
    else if (!isQuoted && (char === '\n' || (!isAngled && BETWEEN.test(char)))) {
      parts.push(part);
      part = '';
      isAngled = false;
    } else {
      // A quote starts a quoted name only at the beginning of a name, and only if a closing quote follows.
      if (char === '"' && (isQuoted || (part.trim() === '' && at < lastQuote))) isQuoted = !isQuoted;
      else if (!isQuoted && char === '<') isAngled = true;
      else if (!isQuoted && char === '>') isAngled = false;
      part += char;
    }
  }
  return [...parts, part].map((each) => each.trim()).filter((each) => each !== '');
}

function parseOne(text: string): Recipient[] {
  if (text.length > MAX_ONE) return text.split(/\s+/).map((word) => ({ name: '', address: bare(word) }));
  const found = (IN_ANGLES.exec(text) ?? WITH_COMMENT.exec(text))?.groups;
  if (found !== undefined)
    return [{ name: unquote(found['name'] ?? ''), address: bare(found['address'] ?? '') }];
  // Spaces separate recipients only if every word is an address: "a@b.example c@d.example".
  const words = text.split(/\s+/);
  if (words.length > 1 && words.every((word) => isAddress(bare(word))))
    return words.map((word) => ({ name: '', address: bare(word) }));
  return [{ name: '', address: bare(text) }];
}

function bare(text: string): string {
  return text
    .trim()
    .replace(/^mailto:/i, '')
    .replace(/^<(.*)>$/, '$1')
    .trim();
}

function unquote(text: string): string {
  const name = text.trim();
  const quoted = /^"(?<inner>.*)"$/s.exec(name)?.groups?.['inner'];
  return (quoted === undefined ? name : quoted.replaceAll(/\\(.)/gs, '$1')).trim();
}
