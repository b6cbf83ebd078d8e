/** Realistic mail for screenshots of the web client: a conversation of three messages, HTML, attachments, unread and starred messages. */
import { deflateSync, crc32 } from 'node:zlib';
import type { OpenedMailClient } from './mail-client.ts';

const HOUR_MS = 3_600_000;

interface Sample {
  from: string;
  to?: string;
  subject: string;
  /** Age of the message in hours. */
  hours: number;
  flags?: string[];
  id?: string;
  answers?: string;
  html?: string;
  text: string;
  file?: { name: string; type: string; bytes: Buffer };
}

/** @param localPart the local part of the mailbox. The messages call its owner Ann */
export async function appendSampleMail(client: OpenedMailClient, localPart: string): Promise<void> {
  const { user } = await client.mailbox(localPart);
  const ann = `Ann Weber <${user}>`;
  const seen = ['\\Seen'];
  const samples: readonly Sample[] = [
    {
      from: 'Jo Larsen <jo@press.example>',
      subject: 'Press photos',
      hours: 150,
      flags: seen,
      text: 'Could you send the high resolution ones? The printer needs them by the end of the week.',
    },
    {
      from: 'Cy Okafor <cy@acme.example>',
      subject: 'Minutes from Monday',
      hours: 98,
      flags: ['\\Seen', '\\Flagged'],
      text: 'Attached are the minutes. Two things are open: the vents, and who orders the lamps.\r\n\r\nCy',
      file: { name: 'Minutes.txt', type: 'text/plain', bytes: Buffer.from('Two things are open.\r\n') },
    },
    {
      from: 'Harbour Books <orders@books.example>',
      subject: 'Your order 4711 is on its way',
      hours: 74,
      flags: seen,
      text: 'It left our warehouse today and should arrive on Thursday.',
      html: '<h1 style="font:700 24px Georgia,serif;color:#1f3b57">On its way</h1><p>It left our warehouse today and should arrive on <b>Thursday</b>.</p><table cellpadding="8" style="border-collapse:collapse;border:1px solid #ccd"><tr style="background:#eef3f8"><th align="left">Book</th><th>Copies</th></tr><tr><td>A Field Guide to Harbours</td><td align="center">1</td></tr><tr><td>The Oak and the Owl</td><td align="center">2</td></tr></table><p><a href="https://books.example/orders/4711">Track your parcel</a></p>',
    },
    {
      from: 'Mara Lindt <mara@garden.example>',
      subject: 'Seeds for spring',
      hours: 52,
      flags: seen,
      text: 'The list for spring is out. What shall we order?',
    },
    {
      from: 'Bo Svensson <bo@acme.example>',
      subject: 'The plans for the new building',
      hours: 50,
      flags: seen,
      id: 'plans-1',
      text: 'Hello Ann,\r\n\r\nthe architects have sent the final plans. The ground floor has moved two metres to the east, so that the oak can stay.\r\n\r\nShall we look at them together on Wednesday at ten?\r\n\r\nBo',
      file: { name: 'Ground floor.png', type: 'image/png', bytes: picture(480, 270) },
    },
    {
      from: ann,
      to: 'Bo Svensson <bo@acme.example>',
      subject: 'Re: The plans for the new building',
      hours: 27,
      flags: seen,
      id: 'plans-2',
      answers: 'plans-1',
      text: 'Wednesday at ten works. And the oak stays: that is the best news of the week.\r\n\r\nAnn',
    },
    {
      from: 'Di Lee <di@acme.example>',
      subject: 'Budget for next year',
      hours: 5,
      text: 'The second draft, with your numbers in it.',
    },
    {
      from: 'Bo Svensson <bo@acme.example>',
      subject: 'Re: The plans for the new building',
      hours: 1,
      flags: seen,
      id: 'plans-3',
      answers: 'plans-2',
      text: 'I’ll bring the model, and coffee.\r\n\r\nBo',
    },
  ];
  for (const sample of samples) {
    const at = new Date(Date.now() - sample.hours * HOUR_MS);
    await client.append(localPart, rawOf({ to: ann, ...sample }, at), { flags: sample.flags ?? [], at });
  }
}

function rawOf({ from, to, subject, id, answers, text, html, file }: Sample, at: Date): string {
  const head = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${at.toUTCString()}`,
    `Message-ID: <${id ?? subject.replaceAll(/\W+/g, '-')}@acme.example>`,
    ...(answers === undefined ? [] : [`In-Reply-To: <${answers}@acme.example>`]),
    'MIME-Version: 1.0',
  ];
  const body = html === undefined ? part('text/plain', text) : part('text/html', html);
  if (file === undefined) return [...head, body].join('\r\n');
  const attached = [
    `Content-Type: ${file.type}`,
    `Content-Disposition: attachment; filename="${file.name}"`,
    'Content-Transfer-Encoding: base64',
    '',
    file.bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
  ].join('\r\n');
  const parts = ['', body, '--part', attached, '--part--', ''];
  return [...head, 'Content-Type: multipart/mixed; boundary=part', '', '--part', ...parts.slice(1)].join(
    '\r\n',
  );
}

function part(type: string, text: string): string {
  return `Content-Type: ${type}; charset=utf-8\r\n\r\n${text}\r\n`;
}

/** A PNG of a floor plan. */
function picture(width: number, height: number): Buffer {
  const rows = Buffer.alloc((width + 1) * height, 0xf4);
  for (let y = 0; y < height; y++) {
    rows[y * (width + 1)] = 0;
    for (let x = 0; x < width; x++) {
      const isWall = [x, width - x, y, height - y, Math.abs(x - width / 3), Math.abs(y - height / 2)].some(
        (distance, at) => distance < (at < 4 ? 12 : 4) && distance >= 0,
      );
      if (isWall) rows[y * (width + 1) + x + 1] = 0x50;
    }
  }
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.writeUInt8(8, 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', size),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, bytes: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), bytes]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(bytes.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}
