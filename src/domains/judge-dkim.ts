/** Judges a DKIM key record as verifiers do (RFC 6376, sections 3.6.1 and 6.1.2), for the key and the signatures of this service. */
import type { ExpectedRecord } from './expected-records.ts';
import { parseTags } from './tag-list.ts';
import { quoted, type Verdict, wrong } from './verdict.ts';

/** The hash algorithm of all signatures of this service. */
const HASH = 'sha256';
/**
 * All keys of one size begin with the same characters, fewer than this. A shorter value that agrees with the expected key in this many
 * characters is therefore a damaged copy of the key.
 */
const SAME_KEY_LENGTH = 64;

export function judgeDkim(
  records: readonly string[],
  { name, value }: Pick<ExpectedRecord, 'name' | 'value'>,
): Verdict {
  if (records.length > 1)
    return wrong(`There are ${records.length} TXT records at ${name}; leave only the one shown.`);
  const { tags, duplicate, notTag } = parseTags(records[0] ?? '');
  const shown = parseTags(value).tags;
  const published = tags.get('p');
  if (published === undefined)
    return wrong(`The TXT record at ${name} is not a DKIM key; replace it with the one shown.`);
  const invalid = (term: string, why: string) =>
    wrong(
      `Receivers ignore the DKIM key at ${name}, because ${why}. Replace the record with the one shown.`,
      term,
    );
  const tag = (of: string) => `${of}=${tags.get(of) ?? ''}`;
  if (duplicate !== null) return invalid(duplicate, `it has a second ${quoted(nameOf(duplicate))} tag`);
  if (notTag !== null)
    return invalid(
      notTag === '' ? ';;' : notTag,
      notTag === '' ? 'it has an empty part between two semicolons' : `${quoted(notTag)} is not a tag`,
    );
  // A version is optional. If there is one, it must be the first tag (section 3.6.1).
  if (tags.has('v') && tags.get('v') !== 'DKIM1')
    return invalid(tag('v'), `its version is ${quoted(tag('v'))} instead of "v=DKIM1"`);
  if (tags.has('v') && [...tags.keys()][0] !== 'v')
    return invalid(tag('v'), `${quoted(tag('v'))} is not its first tag`);
  const hashes = listOf(tags.get('h'));
  if (hashes !== null && !hashes.includes(HASH))
    return invalid(tag('h'), `${quoted(tag('h'))} does not allow ${HASH}`);
  const services = listOf(tags.get('s'));
  if (services !== null && !services.includes('email') && !services.includes('*'))
    return invalid(tag('s'), `${quoted(tag('s'))} does not allow email`);
  if ((tags.get('k') ?? 'rsa') !== shown.get('k'))
    return invalid(tag('k'), `${quoted(tag('k'))} is not the type of the key shown, ${shown.get('k') ?? ''}`);
  const keyFault = keyError(withoutSpace(published), shown.get('p') ?? '', name);
  if (keyFault !== null) return wrong(keyFault, tag('p'));
  return listOf(tags.get('t'))?.includes('y') === true
    ? {
        error: null,
        advice: [
          'The key has "t=y", which tells receivers that you are only testing DKIM: some ignore the signature. Remove it.',
        ],
      }
    : { error: null };
}

function keyError(key: string, expected: string, name: string): string | null {
  if (key === expected) return null;
  if (key === '')
    return `The DKIM key at ${name} is revoked: "p=" is empty. Replace the record with the one shown.`;
  if (isPartOf(key, expected))
    return `The key of the TXT record at ${name} is cut off; enter the whole value.`;
  if (!/^[a-z0-9+/]+={0,2}$/i.test(key))
    return `The key of the TXT record at ${name} has characters that are not base64; replace it with the one shown.`;
  return `The key of the TXT record at ${name} is not the one shown; replace it.`;
}

/**
 * Whether a key is the expected key with characters missing. Some DNS panels accept only 255 characters, or drop characters in the middle.
 */
function isPartOf(key: string, expected: string): boolean {
  if (key === '' || key.length >= expected.length) return false;
  return (
    expected.startsWith(key) ||
    (key.length > SAME_KEY_LENGTH && expected.startsWith(key.slice(0, SAME_KEY_LENGTH)))
  );
}

/** Key data may be folded (RFC 6376, section 3.2). */
export function withoutSpace(text: string): string {
  return text.replace(/[ \t\r\n]/g, '');
}

/** The elements of a list with colons, in lower case. Null if the tag is absent. */
function listOf(value: string | undefined): string[] | null {
  return value?.split(':').map((element) => element.trim().toLowerCase()) ?? null;
}

function nameOf(part: string): string {
  return part.slice(0, part.indexOf('=')).trim();
}
