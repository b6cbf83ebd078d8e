/**
 * Sample spam and wanted mail, in a folder for each writer. The writers of `a`, `b`, `c`, `f` and `g` did not know each other's messages, and no
 * two of them use the same From domain. `d` is by the author of the classifier. All of it trains the model that is delivered. To measure, the
 * mail of one of these writers is left out in turn, so no figure is for mail that the measured model has seen. But the settings were chosen by
 * the same figures (docs/decisions/0136). `e` trains nothing: it was first read when the settings were final.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClassifiedContent } from '../../src/receiving/spam/signs.ts';
import { type Mail, readContent } from '../../src/receiving/spam/mail.ts';

export const WRITERS = ['a', 'b', 'c', 'd', 'f', 'g'] as const;
export type Writer = (typeof WRITERS)[number] | 'e';
/** Those whose mail is a test of models that were trained without it. */
export const TESTED: readonly Writer[] = ['a', 'b', 'c', 'e', 'f', 'g'];

export interface SampleMessage {
  kind: string;
  language: string;
  /** The name of the campaign of which the message is a variant. Null for single messages. */
  campaign: string | null;
  /** Whether the message answers one by its recipient, so that the mailbox knows the sender. */
  isReply: boolean;
  raw: Buffer;
  /** The message as it arrives from a host that authenticates. */
  mail: Mail & ClassifiedContent;
}

interface Line {
  kind: string;
  language: string;
  from_name: string;
  from: string;
  subject: string;
  text: string;
  /** The number of images of the HTML version. It has the text and the links of the plain version, so that the files stay small. */
  html?: number;
  /** Whether the message has the fields of a mailing list. */
  list?: true;
  reply?: true;
  campaign?: string;
}

const NOW = 'Fri, 20 Nov 2026 15:04:05 +0000';

export function readCorpus(
  writer: Writer,
  kind: 'spam' | 'ham',
  folder = import.meta.dirname,
): SampleMessage[] {
  const text = readFileSync(join(folder, writer, `${kind}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, at) => sampleOf(JSON.parse(line) as Line, `${writer}.${kind}.${at}`));
}

function sampleOf(line: Line, id: string): SampleMessage {
  const domain = line.from.slice(line.from.lastIndexOf('@') + 1);
  const raw = rawOf(line, id, domain);
  return {
    kind: line.kind,
    language: line.language,
    campaign: line.campaign ?? null,
    isReply: line.reply === true,
    raw,
    mail: {
      ...readContent(raw),
      arrival: { raw, address: '198.51.100.7', helo: `mx.${domain}`, mailFrom: line.from },
      authentication: {
        spf: { result: 'pass', domain },
        dkim: [{ result: 'pass', domain, selector: 's1', algorithm: 'rsa-sha256' }],
        dmarc: { result: 'pass', domain, published: 'reject' },
        arc: { result: 'none', sealers: [] },
        iprev: { result: 'pass', name: `mx.${domain}` },
        policy: 'none',
        header: '',
      },
      hostname: 'mx.posthorn.example',
      nowMs: Date.parse(NOW),
    },
  };
}

function rawOf(line: Line, id: string, domain: string): Buffer {
  const part = (type: string, body: string) => [
    `Content-Type: text/${type}; charset=utf-8`,
    'Content-Transfer-Encoding: 8bit',
    '',
    ...body.split(/\r?\n/),
  ];
  const body =
    line.html === undefined
      ? part('plain', line.text)
      : [
          'Content-Type: multipart/alternative; boundary=b',
          '',
          '--b',
          ...part('plain', line.text),
          '--b',
          ...part('html', htmlOf(line.text, line.html)),
          '--b--',
        ];
  return Buffer.from(
    [
      `From: ${encoded(line.from_name)} <${line.from}>`,
      'To: robin@posthorn.example',
      `Subject: ${encoded(line.subject)}`,
      `Date: ${NOW}`,
      `Message-ID: <${id}@${domain}>`,
      // Programs that answer a message name it. Spam that pretends to answer does not.
      ...(line.reply || (line.list && /^(?:re|aw|sv|odp)\b/i.test(line.subject.replace(/^\[[^\]]*\] */, '')))
        ? ['In-Reply-To: <1@posthorn.example>', 'References: <1@posthorn.example>']
        : []),
      ...(line.list
        ? [`List-Id: <list.${domain}>`, `List-Unsubscribe: <https://${domain}/unsubscribe>`]
        : []),
      'MIME-Version: 1.0',
      ...body,
      '',
    ].join('\r\n'),
  );
}

function htmlOf(text: string, images: number): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  const linked = escaped.replaceAll(/https?:\/\/[^\s<>)]+/g, (url) => `<a href="${url}">${url}</a>`);
  return [
    ...linked.split(/\n{2,}/).map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>\n')}</p>`),
    '<img src="cid:image" alt="">'.repeat(images),
  ].join('\n');
}

/** Encodes a header value (RFC 2047) in one word, which no program rejects because of its length. */
function encoded(value: string): string {
  return `=?utf-8?B?${Buffer.from(value).toString('base64')}?=`;
}
