/** Reads messages in the Maildir with Python's email package, and compares them with the emails that were sent. */
import assert from 'node:assert/strict';
import { DEFAULTS, type SampleEmail } from './emails.ts';
import { runPython } from './peers.ts';
import type { Postfix } from './postfix.ts';

type Field = [name: string, value: string];
type Person = [name: string, address: string];

/** A message in the output of `read-messages.py`. */
interface ReadMessage {
  fields: Field[];
  people: Record<string, Person[]>;
  type: string;
  parts: [type: string, content: string][];
  defects: string[];
}

export interface Arrival extends ReadMessage {
  data: Buffer;
  /** The recipient of this copy. */
  recipient: string;
}

export async function readArrivals(postfix: Postfix): Promise<Arrival[]> {
  const delivered = postfix.delivered();
  const script = new URL('read-messages.py', import.meta.url);
  const read = await runPython<ReadMessage[]>(
    script,
    delivered.map(({ path }) => path),
  );
  return delivered.map(({ data }, at) => {
    const message = read[at];
    assert.ok(message);
    return { ...message, data, recipient: valueOf(message, 'Delivered-To') };
  });
}

/** The fields with the given names, in the order of the message. */
function fieldsNamed({ fields }: ReadMessage, names: readonly string[]): Field[] {
  return fields.filter(([name]) => names.includes(name));
}

/** The value of the first field with a name, or an empty string. */
export function valueOf(message: ReadMessage, name: string): string {
  return fieldsNamed(message, [name])[0]?.[1] ?? '';
}

/** The envelope recipients of a sample. */
export function recipientsOf({ email, recipients }: SampleEmail): string[] {
  return recipients ?? [...(email.to ?? DEFAULTS.to), ...(email.cc ?? []), ...(email.bcc ?? [])];
}

/** @throws AssertionError if a received message differs from the sample */
export function assertReadsAs(arrival: Arrival, sample: SampleEmail): void {
  const { email, people = {} } = sample;
  const { headers = {}, subject = DEFAULTS.subject, text, html } = email;
  assert.deepEqual(arrival.defects, []);
  assert.deepEqual(arrival.people, {
    from: [['', DEFAULTS.from]],
    to: (email.to ?? DEFAULTS.to).map((address) => ['', address]),
    ...people,
  });
  assert.deepEqual(fieldsNamed(arrival, ['Subject', ...Object.keys(headers)]), [
    ['Subject', subject],
    ...Object.entries(headers),
  ]);
  assert.equal(arrival.type, html === undefined ? 'text/plain' : 'multipart/alternative');
  const plain = text ?? sample.derivedText ?? '';
  // A message ends with a line break, but a text part does not have to.
  const whole = html === undefined && !plain.endsWith('\n') ? `${plain}\n` : plain;
  assert.deepEqual(
    arrival.parts.map(([type, content]) => [type, withLocalLineEnds(content)]),
    [['text/plain', whole], ...(html === undefined ? [] : [['text/html', withLocalLineEnds(html)]])],
  );
}

/** The message as the service sent it, without the fields that the receiving server added. */
export function ownPart(data: Buffer): Buffer {
  const start = data.indexOf('\nDKIM-Signature:') + 1;
  assert.notEqual(start, 0);
  return Buffer.from(data.toString('latin1', start).replaceAll('\n', '\r\n'), 'latin1');
}

/** The message with the last non-space byte of its body changed; null if the body is empty. */
export function withOtherBody(data: Buffer): Buffer | null {
  const bodyStart = data.indexOf('\n\n') + 2;
  for (let at = data.length - 1; at >= bodyStart; at--) {
    const byte = data[at] as number;
    if (byte <= 0x20) continue;
    const other = Buffer.from(data);
    other[at] = byte ^ 1;
    return other;
  }
  return null;
}

function withLocalLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
