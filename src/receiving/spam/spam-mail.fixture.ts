import type { Authentication } from '../authenticate/authentication.ts';
import { type Mail, readContent } from './mail.ts';

export const GENUINE: Authentication = {
  spf: { result: 'pass', domain: 'acme.example' },
  dkim: [{ result: 'pass', domain: 'acme.example', selector: 's1', algorithm: 'rsa-sha256' }],
  dmarc: { result: 'pass', domain: 'acme.example', published: 'reject' },
  arc: { result: 'none', sealers: [] },
  iprev: { result: 'pass', name: 'mx.acme.example' },
  policy: 'none',
  header: '',
};

export interface SpamLetter {
  /** Fields that replace fields of the same name. `null` removes a field. */
  fields?: Readonly<Record<string, string | null>>;
  body?: string;
  authentication?: Partial<Authentication>;
  address?: string;
  helo?: string;
}

const FIELDS: Readonly<Record<string, string>> = {
  From: 'Alice Miller <alice@acme.example>',
  To: 'bob@posthorn.example',
  Subject: 'Notes of our meeting',
  Date: 'Fri, 20 Nov 2026 15:04:05 +0000',
  'Message-ID': '<1@acme.example>',
  'MIME-Version': '1.0',
  'Content-Type': 'text/plain; charset=utf-8',
};
const BODY =
  'Hi Bob,\r\nhere are the notes of yesterday. Tell me what is missing, and see you on Monday.\r\n\r\nAlice\r\n';

export function letter({ fields = {}, body = BODY, authentication = {}, ...client }: SpamLetter = {}): Mail {
  const lines = Object.entries({ ...FIELDS, ...fields }).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}\r\n`],
  );
  const raw = Buffer.from(`${lines.join('')}\r\n${body}`);
  return {
    ...readContent(raw),
    arrival: {
      raw,
      address: '198.51.100.7',
      helo: 'mx.acme.example',
      mailFrom: 'alice@acme.example',
      ...client,
    },
    authentication: { ...GENUINE, ...authentication },
    hostname: 'mx.posthorn.example',
    nowMs: Date.parse('2026-11-20T15:05:00Z'),
  };
}

/** A multipart/mixed message, whose parts each have a header and a body. */
export function parts(...each: readonly [header: string, body: string][]): SpamLetter {
  const body = each.map(([header, text]) => `--b\r\n${header}\r\n\r\n${text}\r\n`).join('');
  return { fields: { 'Content-Type': 'multipart/mixed; boundary=b' }, body: `${body}--b--\r\n` };
}

export function html(text: string): SpamLetter {
  return { fields: { 'Content-Type': 'text/html; charset=utf-8' }, body: text };
}

/** A zip archive of stored, empty files. */
export function zip(names: readonly string[], { encrypted = false } = {}): string {
  const files = names.map((name) => {
    const header = Buffer.alloc(30);
    header.write('PK\x03\x04', 'latin1');
    header.writeUInt16LE(encrypted ? 1 : 0, 6);
    header.writeUInt16LE(Buffer.byteLength(name), 26);
    return Buffer.concat([header, Buffer.from(name)]);
  });
  return Buffer.concat(files).toString('base64');
}
