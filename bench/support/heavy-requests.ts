/** Requests that cost a server more than other requests of their size, or that have the maximum size. */

const MIB = 1024 * 1024;
const MAX_BODY_BYTES = 6 * MIB;
/** How many bytes of a body are filled. The rest leaves space for the surrounding JSON. */
const FILLED_BYTES = MAX_BODY_BYTES - 200;

export interface HeavyRequest {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  /** How many requests are sent at the same time. */
  connections: number;
  /** Creates the body when it is needed, because all bodies together would add to the memory that is measured. */
  body(): string;
}

const LINE = 'The quick brown fox jumps over the "lazy" dog, <b>order 12345</b> shipped.\n';

function email(fields: object): string {
  return JSON.stringify({ from: 'Acme <a@src.test>', to: ['b@dst.test'], subject: 'Your order', ...fields });
}

function list<Element>(length: number, element: (n: number) => Element): Element[] {
  return Array.from({ length }, (_, n) => element(n));
}

function filled(piece: string, bytes: number): string {
  return piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)));
}

/** Sixteen recipients, each with many display names, so that every address has to be parsed. */
function addresses(from: number): string[] {
  return list(1_000, (n) => `${from + n} <b@${`${'日本ü'.repeat(4)}.`.repeat(2)}${n % 16}.test>`);
}

function members(): string {
  return list(400_000, (n) => `"f${n}":1`).join(',');
}

function heavy(name: string, connections: number, body: () => string, path = '/v1/emails'): HeavyRequest {
  return { name, method: 'POST', path, connections, body };
}

export const HEAVY_REQUESTS: readonly HeavyRequest[] = [
  heavy('valid emails of 4 MB', 16, () =>
    email({ html: filled(LINE, 2 * MIB), text: filled(LINE, 2 * MIB) }),
  ),
  heavy(
    'valid emails of escapes',
    16,
    () => `${email({}).slice(0, -1)},"html":"${filled('\\u00e9', FILLED_BYTES)}"}`,
  ),
  heavy('50 headers of 8 kB', 16, () => {
    const headers = list(50, (n) => [`X-${n}`, 'v'.repeat(8_192)]);
    return email({ text: 'Hello', headers: Object.fromEntries(headers) });
  }),
  heavy('3,000 addresses', 4, () =>
    email({ text: 'Hello', to: addresses(0), cc: addresses(1_000), bcc: addresses(2_000) }),
  ),
  heavy('400,000 unknown members', 4, () => `{${members()}}`),
  heavy('400,000 headers', 4, () => `{"headers":{${members()}}}`),
  heavy('a million tags', 4, () => email({ text: 'Hello', tags: list(1_000_000, () => 't') })),
  heavy('two million lists', 4, () => `{"to":[${filled('[],', FILLED_BYTES)}1]}`),
  heavy('lists 60 deep', 4, () => {
    return `{"to":[${filled(`${'['.repeat(60)}${']'.repeat(60)},`, FILLED_BYTES)}1]}`;
  }),
  heavy('six million brackets', 4, () => '['.repeat(MAX_BODY_BYTES)),
  heavy('6 MiB of whitespace', 4, () => `${' '.repeat(MAX_BODY_BYTES - 2)}{}`),
  heavy('quotation marks', 4, () => email({ html: '"\\\n\t'.repeat(600_000) })),
  heavy('a name of 6 MiB', 4, () => `{"${'x'.repeat(FILLED_BYTES)}":1}`),
  heavy('a domain of 6 MiB', 4, () => `{"domain":"${'x'.repeat(FILLED_BYTES)}"}`, '/v1/domains'),
];
