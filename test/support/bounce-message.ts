/** The parts that differ between bounce messages. */
export interface BounceParts {
  /** Header fields that replace or extend the usual header fields. */
  fields?: string[];
  text: string;
  /** An HTML body that replaces the text. */
  html?: string;
  /** The content of a machine-readable part with the type `statusType`. */
  status?: string;
  /** The media type of the machine-readable part. Default: `message/delivery-status`. */
  statusType?: string;
  /** The returned message, as a part. If the bounce has a status, the default is ORIGINAL_MESSAGE. */
  original?: string;
}

export const ORIGINAL_MESSAGE = [
  'Return-Path: <b+token@send.sender.example>',
  'Received: by sender.example; Thu, 01 Jan 2026 10:00:00 +0000',
  'Message-ID: <original-1@sender.example>',
  'From: Sender <news@sender.example>',
  'To: someone@rcpt.example',
  'Subject: Hello',
  '',
  'Hello.',
].join('\n');

const USUAL_FIELDS = [
  'Return-Path: <>',
  'From: Mail Delivery System <MAILER-DAEMON@mx.rcpt.example>',
  'To: b+token@send.sender.example',
  'Subject: Undelivered Mail Returned to Sender',
  'Date: Thu, 01 Jan 2026 10:00:01 +0000',
  'MIME-Version: 1.0',
];

/** The bounce message as octets: `multipart/report` with a status, `multipart/mixed` with only an original, otherwise a single part. */
export function bounceMessage(message: BounceParts): Buffer {
  const own = message.fields ?? [];
  const head = [
    ...USUAL_FIELDS.filter((usual) => !own.some((field) => nameOf(field) === nameOf(usual))),
    ...own,
  ];
  const [first, ...others] = partsOf(message);
  const body =
    others.length === 0
      ? first
      : [
          message.status === undefined
            ? 'Content-Type: multipart/mixed; boundary="b1"\n'
            : 'Content-Type: multipart/report; report-type=delivery-status; boundary="b1"\n',
          ...[first, ...others].map((part) => `--b1\n${part}\n`),
          '--b1--\n',
        ].join('\n');
  return Buffer.from([...head, body].join('\n').replaceAll('\n', '\r\n'));
}

function partsOf({ text, html, status, statusType, original }: BounceParts): string[] {
  const parts = [
    html === undefined
      ? `Content-Type: text/plain; charset=utf-8\n\n${text}`
      : `Content-Type: text/html; charset=utf-8\n\n${html}`,
  ];
  if (status !== undefined)
    parts.push(`Content-Type: ${statusType ?? 'message/delivery-status'}\n\n${status}`);
  if (original !== undefined || status !== undefined) {
    parts.push(`Content-Type: message/rfc822\n\n${original ?? ORIGINAL_MESSAGE}`);
  }
  return parts;
}

function nameOf(field: string): string {
  return field.slice(0, field.indexOf(':')).toLowerCase();
}
