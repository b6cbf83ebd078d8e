/** Messages like the ones that a mailbox receives: real English, headers of several servers, HTML and attachments. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

const DOCS = new URL('../../docs/', import.meta.url);
/** The guides of this project. Random words would not compress like sentences. */
const PROSE = readdirSync(DOCS)
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(new URL(name, DOCS), 'utf8'))
  .join('\n');
const STYLE = 'font-family:Arial,Helvetica,sans-serif;font-size:14px;line-height:20px;color:#333333';
const LINE = /([^\n]{75})(?=[^\n])/g;
const WORDS = /(.{60}\S*) /g;

/** Of twenty messages, nine are HTML with a plain alternative, nine are plain text, and two have an attachment. */
type Kind = 'html' | 'plain' | 'attachment';

/** @param n the number of the message, from 0, which determines its kind and size @param octets the mean size */
export function typicalMail(n: number, octets: number): Buffer {
  const kind: Kind = n % 10 === 9 ? 'attachment' : n % 2 === 0 ? 'html' : 'plain';
  // From 0.4 to 1.6 times the mean, so that the pages of the database are filled as they are by real mail.
  const size = octets * (0.4 + (1.2 * ((n * 7) % 20)) / 19);
  const boundary = randomUUID();
  const [type, bodyOf] = {
    html: [`multipart/alternative; boundary="${boundary}"`, htmlBody],
    plain: ['text/plain; charset=utf-8', plainBody],
    attachment: [`multipart/mixed; boundary="${boundary}"`, attachmentBody],
  }[kind] as [string, (left: number, boundary: string) => string];
  const header = headerOf(type);
  return Buffer.from(
    `${header}\n${bodyOf(Math.max(200, Math.round(size - header.length)), boundary)}\n`.replaceAll(
      '\n',
      '\r\n',
    ),
  );
}

function headerOf(type: string): string {
  const [id, server] = [randomUUID(), `mail${randomBytes(2).readUInt16BE()}.example.net`];
  return `Return-Path: <bounces+${id}@shop.example>
Delivered-To: anna@acme.example
Received: from ${server} (${server} [203.0.113.7])
 (using TLSv1.3 with cipher TLS_AES_256_GCM_SHA384)
 by mx.acme.example (Posthorn) with ESMTPS id ${id.slice(0, 12)}
 for <anna@acme.example>; Sun, 22 Nov 2026 12:00:01 +0000
Authentication-Results: mx.acme.example; spf=pass smtp.mailfrom=shop.example;
 dkim=pass header.d=shop.example header.s=s1 header.a=rsa-sha256;
 dmarc=pass policy.dmarc=reject header.from=shop.example; arc=none;
 iprev=pass policy.iprev=203.0.113.7
X-Spam-Status: No, score=-3.0 required=6.0 tests=SENDER_KNOWN(-3)
Received: by ${server} with SMTP id ${id.slice(0, 8)}; Sun, 22 Nov 2026 11:59:58 +0000
DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=shop.example; s=s1;
 t=1795348798; h=From:To:Subject:Message-ID:Date:MIME-Version:Content-Type;
 bh=${randomBytes(32).toString('base64')};
 b=${randomBytes(256)
   .toString('base64')
   .replace(/(.{70})/g, '$1\n ')}
From: "Example Shop" <orders@shop.example>
To: Anna Example <anna@acme.example>
Subject: Order ${id.slice(0, 8)}: ${prose(40).replaceAll('\n', ' ')}
Message-ID: <${id}@shop.example>
Date: Sun, 22 Nov 2026 12:00:00 +0000
MIME-Version: 1.0
List-Unsubscribe: <https://shop.example/u/${randomBytes(18).toString('base64url')}>
Content-Type: ${type}
`;
}

function plainBody(octets: number): string {
  return prose(octets);
}

function htmlBody(octets: number, boundary: string): string {
  const text = prose(Math.round(octets * 0.25));
  const rows = text.split('\n\n').map((paragraph) => {
    const href = `https://shop.example/c/${randomBytes(24).toString('base64url')}`;
    return `<tr><td style=3D"${STYLE};padding:12px 24px"><p style=3D"margin:0 0 12px">${paragraph.replaceAll('<', '&lt;')}</p>
<a href=3D"${href}" style=3D"${STYLE}">Read more</a></td></tr>`;
  });
  const html = `<!DOCTYPE html><html><head><meta charset=3D"utf-8"></head><body><table width=3D"600" align=3D"center" cellpadding=3D"0">
${rows.join('\n')}</table></body></html>`;
  const part = (type: string, content: string): string => `--${boundary}
Content-Type: text/${type}; charset=utf-8
Content-Transfer-Encoding: quoted-printable

${content.replace(LINE, '$1=\n')}
`;
  return `${part('plain', text)}${part('html', html)}--${boundary}--`;
}

function attachmentBody(octets: number, boundary: string): string {
  return `--${boundary}
Content-Type: text/plain; charset=utf-8

${prose(Math.round(octets * 0.4))}
--${boundary}
Content-Type: application/pdf; name="invoice.pdf"
Content-Disposition: attachment; filename="invoice.pdf"
Content-Transfer-Encoding: base64

${randomBytes(Math.round(octets * 0.4))
  .toString('base64')
  .replace(/(.{76})/g, '$1\n')}
--${boundary}--`;
}

/** A random excerpt, in lines of at most about 75 characters. */
function prose(characters: number): string {
  const from = Math.floor(Math.random() * (PROSE.length - characters));
  return PROSE.slice(from, from + characters).replace(WORDS, '$1\n');
}
