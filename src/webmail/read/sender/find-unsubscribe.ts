/** Finds out how the reader can unsubscribe (RFC 2369, RFC 8058). */
import type { HeaderField } from '../../../rfc/mime/index.ts';
import type { Authentication } from '../../../receiving/authenticate/authentication.ts';

export interface Unsubscribe {
  kind: 'one-click' | 'mailto' | 'link';
  /** The host name, for display. */
  host: string;
  address: string | null;
  subject: string | null;
  url: string | null;
}

const MAX_URLS = 10;
const MAX_URL = 2_000;
const COVERED = ['list-unsubscribe', 'list-unsubscribe-post'];

/**
 * @param authentication null if the signatures were not checked; one-click unsubscribe, which requires a signature, is then not returned
 */
export function findUnsubscribe(
  fields: readonly HeaderField[],
  authentication: Pick<Authentication, 'dkim'> | null,
): Unsubscribe | null {
  const values = (name: string): string[] =>
    fields.filter((field) => field.name === name).map(({ value }) => value);
  const [listed, ...others] = values('list-unsubscribe');
  // If there are several List-Unsubscribe fields, the signature may cover a different field from the one that is used here.
  if (listed === undefined || others.length > 0) return null;
  const urls = [...listed.matchAll(/<\s*([^<>\s]{1,2000})\s*>/g)]
    .slice(0, MAX_URLS)
    .flatMap(([, url = '']) => URL.parse(url) ?? []);
  const https = urls.find(({ protocol, href }) => protocol === 'https:' && href.length <= MAX_URL) ?? null;
  const posts = values('list-unsubscribe-post');
  const isOneClick =
    posts.length === 1 && posts[0]?.replaceAll(/\s/g, '').toLowerCase() === 'list-unsubscribe=one-click';
  if (https !== null && isOneClick && isCovered(fields, authentication))
    return { kind: 'one-click', host: https.hostname, address: null, subject: null, url: https.href };
  const mailto = urls.find(({ protocol }) => protocol === 'mailto:');
  const address = mailto === undefined ? null : addressOf(mailto);
  if (address !== null && mailto !== undefined)
    return {
      kind: 'mailto',
      host: address.slice(address.lastIndexOf('@') + 1),
      address,
      subject: subjectOf(mailto)?.slice(0, 200) ?? null,
      url: null,
    };
  return https === null
    ? null
    : { kind: 'link', host: https.hostname, address: null, subject: null, url: https.href };
}

/** The subject in a `mailto:` URL, in which a space is `%20`, and `+` is literal, unlike in forms (RFC 6068, section 5). */
function subjectOf({ search }: URL): string | undefined {
  const fields = [...new URLSearchParams(search.replaceAll('+', '%2B'))];
  return fields.find(([name]) => name.toLowerCase() === 'subject')?.[1];
}

function addressOf({ pathname }: URL): string | null {
  try {
    const address = decodeURIComponent(pathname);
    return /^[^\s@<>,;]{1,64}@[^\s@<>,;]{1,255}$/.test(address) ? address : null;
  } catch {
    return null;
  }
}

/**
 * Whether a valid signature covers both List-Unsubscribe fields, as RFC 8058, section 4 requires. Attack: a second, invalid signature with
 * the same domain and selector claims to cover the fields. Therefore all signatures with that domain and selector must cover both fields.
 */
function isCovered(
  fields: readonly HeaderField[],
  authentication: Pick<Authentication, 'dkim'> | null,
): boolean {
  const signatures = fields.filter(({ name }) => name === 'dkim-signature').map(({ value }) => tagsOf(value));
  return (authentication?.dkim ?? []).some(({ result, domain, selector }) => {
    if (result !== 'pass') return false;
    const same = signatures.filter(
      (tags) => tags.get('d')?.toLowerCase() === domain && tags.get('s') === selector,
    );
    return (
      same.length > 0 &&
      same.every((tags) => {
        const covered = (tags.get('h') ?? '').toLowerCase().split(':');
        return COVERED.every((name) => covered.includes(name));
      })
    );
  });
}

function tagsOf(value: string): Map<string, string> {
  return new Map(
    value.split(';').map((tag) => {
      const equals = tag.indexOf('=');
      return [tag.slice(0, equals).trim(), tag.slice(equals + 1).replaceAll(/\s/g, '')];
    }),
  );
}
