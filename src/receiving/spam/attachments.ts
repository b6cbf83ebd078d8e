/** The names of attachments, and of the files in archives, without unpacking anything. */
import { type Entity, partRole } from '../../rfc/mime/index.ts';

export interface Attachment {
  /** The decoded file name. Empty if the attachment has no name. */
  name: string;
  type: string;
  /** Whether the content begins like an executable of Windows or Unix. */
  isProgram: boolean;
  /** The names of the files in a zip archive, at most 200. */
  inside: readonly string[];
  isEncrypted: boolean;
}

const MAX_NAMES = 200;
/** How many octets of an archive are decoded to read file names. The names of the first files are at the beginning of the archive. */
const MAX_DECODED = 524_288;
const LOCAL_FILE = Buffer.from('PK\x03\x04', 'latin1');

export function readAttachment(raw: Buffer, entity: Entity): Attachment {
  const start = decode(raw, entity, 12);
  const isZip = start.subarray(0, 4).equals(LOCAL_FILE);
  const magic = start.toString('latin1', 0, 4);
  return {
    name: partRole(entity, null).name.slice(0, 500),
    type: entity.type,
    isProgram: magic.startsWith('MZ') || magic === '\x7fELF',
    ...(isZip ? namesInZip(decode(raw, entity, MAX_DECODED)) : { inside: [], isEncrypted: false }),
  };
}

function decode(raw: Buffer, { bodyStart, end, transferEncoding }: Entity, octets: number): Buffer {
  if (transferEncoding !== 'base64') return raw.subarray(bodyStart, Math.min(end, bodyStart + octets));
  const encoded = raw.toString('latin1', bodyStart, Math.min(end, bodyStart + octets * 2));
  return Buffer.from(encoded, 'base64').subarray(0, octets);
}

/** Reads the header that precedes each file (APPNOTE.TXT, section 4.3.7). */
function namesInZip(zip: Buffer): Pick<Attachment, 'inside' | 'isEncrypted'> {
  const inside: string[] = [];
  let isEncrypted = false;
  for (let at = zip.indexOf(LOCAL_FILE); at !== -1 && inside.length < MAX_NAMES; ) {
    if (at + 30 > zip.length) break;
    isEncrypted ||= (zip.readUInt16LE(at + 6) & 1) === 1;
    const length = zip.readUInt16LE(at + 26);
    inside.push(zip.toString('utf8', at + 30, Math.min(zip.length, at + 30 + Math.min(length, 500))));
    at = zip.indexOf(LOCAL_FILE, at + 30);
  }
  return { inside, isEncrypted };
}
