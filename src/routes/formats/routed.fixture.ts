import type { RoutedMessage } from '../routed-message.ts';
import type { MessageLinks } from './question.ts';

/** A message as a route passes it on. @param text the message, with LF as line end */
export function routed(text: string | Buffer, changed: Partial<RoutedMessage> = {}): RoutedMessage {
  return {
    id: 'rm_01KAGK5RB9D5F7H9K1M3N5P7Q9',
    routeId: 'rt_01KAGK5RB8C4E6G8J0K2M4N6P8',
    receivedAt: new Date('2026-11-20T15:04:05.123Z'),
    reversePath: 'ada@example.com',
    recipients: ['support+case-42@acme.example'],
    clientAddress: '192.0.2.10',
    helo: 'mx.example.com',
    authentication: {
      spf: { result: 'pass', domain: 'example.com' },
      dkim: [{ result: 'pass', domain: 'example.com', selector: 's1', algorithm: 'rsa-sha256' }],
      dmarc: { result: 'pass', domain: 'example.com', published: 'reject' },
      arc: { result: 'none', sealers: [] },
      iprev: { result: 'pass', name: 'mx.example.com' },
      policy: 'none',
    },
    spam: { score: -0.5, reasons: [{ rule: 'DMARC_PASS', weight: -0.5 }] },
    raw: typeof text === 'string' ? Buffer.from(text.replaceAll('\n', '\r\n')) : text,
    ...changed,
  };
}

export const LINKS: MessageLinks = {
  base: 'https://mail.acme.example/routed/rt/rm',
  query: '?expires=1&signature=s',
};

/** A reply with a text, HTML, an inline image and a file. */
export const REPLY = `Received: from mx.example.com
X-Spam-Status: No, score=-99
Received-SPF: Pass forged
From: "Ada L" <ada@example.com>
To: Acme Support <support+case-42@acme.example>, bob@acme.example
Cc: =?utf-8?Q?J=C3=BCrgen?= <j@example.com>
Reply-To: ada+x@example.com
Subject: =?utf-8?Q?Re:_Gr=C3=BC=C3=9Fe?=
Date: Fri, 20 Nov 2026 16:04:03 +0100
Message-ID: <f7a1@example.com>
In-Reply-To: <01@acme.example>
References: <00@acme.example> <01@acme.example>
Content-Type: multipart/mixed; boundary=m

--m
Content-Type: multipart/alternative; boundary=a

--a
Content-Type: text/plain; charset=utf-8

It arrived.

On Fri, 20 Nov 2026 at 15:00, Acme <support@acme.example> wrote:
> Has it arrived?
--a
Content-Type: text/html

<p>It arrived.</p><blockquote type=cite>Has it arrived?</blockquote>
--a--
--m
Content-Type: image/png; name=a.png
Content-Disposition: inline
Content-ID: <img1@x>
Content-Transfer-Encoding: base64

aGVs
bG8=
--m
Content-Type: text/csv
Content-Disposition: attachment; filename="../r=C3=A9.csv"
Content-Transfer-Encoding: quoted-printable

a;b=0D=0A1;2
--m--
`;
