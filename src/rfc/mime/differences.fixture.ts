/** Compares how this program and two other readers decode a message: postal-mime, which runs in browsers, and libmime, which many servers use. */
import libmime from 'libmime';
import PostalMime from 'postal-mime';
import { decodeEncodedWords, decodeText, type Entity, fieldValue, partRole, readEntity } from './index.ts';

export interface Difference {
  /** `subject`, or `text` or `name` and the part number. */
  what: string;
  reader: 'postal-mime' | 'libmime';
  ours: string;
  theirs: string;
}

const LIMITS = {
  depth: 32,
  parts: 1_000,
  header: { octets: 4_194_304, value: 65_536 },
  insideMessages: true,
};

/** Decodes the subject, the texts and the file names of a message with all three readers. */
export async function differencesIn(raw: Buffer): Promise<Difference[]> {
  const differences: Difference[] = [];
  const compare = (what: string, reader: Difference['reader'], ours: string, theirs: string): void => {
    if (lines(ours) !== lines(theirs))
      differences.push({ what, reader, ours: lines(ours), theirs: lines(theirs) });
  };
  const message = readEntity(raw, LIMITS);
  const subject = fieldValue(message.fields, 'subject') ?? '';
  compare('subject', 'postal-mime', decodeEncodedWords(subject), (await PostalMime.parse(raw)).subject ?? '');
  compare('subject', 'libmime', decodeEncodedWords(subject), libmime.decodeWords(subject));
  for (const { part, number } of leaves(message, '')) {
    // Each part is read alone, because postal-mime joins the texts of a message.
    const alone = await PostalMime.parse(raw.subarray(part.start, part.end));
    const isShown = alone.attachments.length === 0;
    if (isShown && (part.type === 'text/plain' || part.type === 'text/html')) {
      const ours = decodeText(raw, part, part.end - part.bodyStart);
      compare(
        `text ${number}`,
        'postal-mime',
        ours,
        (part.type === 'text/html' ? alone.html : alone.text) ?? '',
      );
    }
    const { name } = partRole(part, null);
    if (!isShown) compare(`name ${number}`, 'postal-mime', name, alone.attachments[0]?.filename ?? '');
    compare(`name ${number}`, 'libmime', name, nameByLibmime(part));
  }
  return differences;
}

function nameByLibmime({ fields }: Entity): string {
  const parameter = (field: string, name: string): string =>
    libmime.parseHeaderValue(fieldValue(fields, field) ?? '').params[name] ?? '';
  return libmime.decodeWords(
    parameter('content-disposition', 'filename') || parameter('content-type', 'name'),
  );
}

function lines(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim();
}

function* leaves(entity: Entity, number: string): Generator<{ part: Entity; number: string }> {
  if (entity.message !== null) yield* leaves(entity.message, number);
  else if (entity.parts.length === 0) yield { part: entity, number: number || '1' };
  for (const [at, part] of entity.parts.entries())
    yield* leaves(part, number === '' ? `${at + 1}` : `${number}.${at + 1}`);
}
