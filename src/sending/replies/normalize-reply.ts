const MAX_TEXT = 4_000;

/**
 * A reply in lower case, with `|` between clauses, and with signs in place of names, which may read like a reason: `@`
 * for an address, `#` for an IP address, `~` for a host. Addresses on the web and codes go. Of the first 4000 characters.
 */
export function normalizeReply(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .replace(/[@#~|]{2,}|[#~|]/g, ' ')
    .replace(/[\u2018\u2019`]/g, "'")
    .replace(/\bhttps?:\/\/[^\s<>"]{1,2000}/gi, ' ')
    .replace(ADDRESS, (address) => (address.includes('/') ? ' ' : '@'))
    .replace(IP_ADDRESS, '#')
    .replace(CODE_OF_CLAUSE, ' | ')
    .replace(CODE, ' ')
    .replace(HOST, hostOrWords)
    .replace(/(\p{Ll}{2})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .toLowerCase()
    .replace(/\b(said|says|responded|response|was|answered|error|reply|reason|follows)\s?:/g, '$1 | ')
    .replace(/[;!?。]|\(in reply to|\s[*•]\s|\.(?=\s|$)|\s-+\s/g, ' | ')
    .replace(/[\s_]+/g, ' ');
}

/** A path that ends with one is none. */
const ADDRESS = /(?<![^\s<>"'(),;:[\]@])[^\s<>"'(),;:[\]@]{1,200}@[^\s<>"'(),;:[\]@]{1,255}/g;
const IP_ADDRESS =
  /(?<![\w.-])(?:[\w.-]{1,255} ?\[)?(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}|[0-9a-f:]{2,30}::[0-9a-f:]{0,30})\]?/gi;
/** The first line of a reply, or one that begins like a sentence. */
const CODE_OF_CLAUSE = /: ?[45]\d\d(?=[- ])|(?<![\w.-])[45]\d\d-(?=[A-Z])/g;
const CODE =
  /(?<![\w.-])[45]\d\d[- ](?:#?[45]\.\d{1,3}\.\d{1,3}\b)?|(?<![\w.-])[45]\.\d{1,3}\.\d{1,3}(?![\w.])/g;
const HOST = /(?<![\w.-])(?:[a-z0-9_-]{1,63}\.){1,10}[a-z]{2,24}(?![\w-])\.?/gi;

/** `RESOLVER.ADR.RecipNotFound` is no host. */
function hostOrWords(name: string): string {
  const last = name.replace(/\.$/, '').split('.').at(-1) ?? '';
  return /^(?:[a-z]+|[A-Z]+)$/.test(last) ? '~' : name.replaceAll('.', ' ');
}
