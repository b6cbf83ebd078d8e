/**
 * Zip archives of uncompressed files (PKWARE's APPNOTE.TXT 6.3.10). Sizes and checksums are known in advance, so the archive's length
 * is known and any range can be generated without the bytes before it: an interrupted download can resume.
 */

/** A file of an archive. */
export interface ZipEntry {
  /** Without folders, and unique in the archive: see `distinctNames`. */
  name: string;
  octets: number;
  crc32: number;
  /** The time of the file. */
  at: Date;
}

/** Some bytes of an archive: generated ones, or those of a file from `start` up to but not including `end`. */
export type ZipPiece = { bytes: Buffer } | { entry: number; start: number; end: number };

export interface ZipLayout {
  octets: number;
  pieces: readonly ZipPiece[];
}

const LOCAL = 0x04_03_4b_50;
const CENTRAL = 0x02_01_4b_50;
const END = 0x06_05_4b_50;
const END_64 = 0x06_06_4b_50;
const LOCATOR_64 = 0x07_06_4b_50;
/** The placeholder for a value that is in the zip64 field. */
const IN_ZIP64 = 0xff_ff_ff_ff;
const VERSION = 20;
const VERSION_64 = 45;
const MADE_ON_UNIX = 3 << 8;
/** The flag for names in UTF-8. */
const UTF8 = 1 << 11;
const STORED = 0;
/** A regular file that its owner may write and everyone may read. */
const MODE = (0o100_644 << 16) >>> 0;

/** @param entries at most 65,534 */
export function layoutZip(entries: readonly ZipEntry[]): ZipLayout {
  const pieces: ZipPiece[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [at, entry] of entries.entries()) {
    const header = localHeader(entry);
    directory.push(centralHeader(entry, offset));
    pieces.push({ bytes: header }, { entry: at, start: 0, end: entry.octets });
    offset += header.length + entry.octets;
  }
  const central = Buffer.concat(directory);
  const end = endOf(entries.length, offset, central.length);
  pieces.push({ bytes: Buffer.concat([central, end]) });
  return { octets: offset + central.length + end.length, pieces };
}

/** The pieces of an archive from `start` up to but not including `end`. */
export function cutZip({ pieces }: ZipLayout, start: number, end: number): ZipPiece[] {
  const cut: ZipPiece[] = [];
  let at = 0;
  for (const piece of pieces) {
    const length = 'bytes' in piece ? piece.bytes.length : piece.end - piece.start;
    const from = Math.max(0, start - at);
    const to = Math.min(length, end - at);
    at += length;
    if (from >= to) continue;
    cut.push(
      'bytes' in piece
        ? { bytes: piece.bytes.subarray(from, to) }
        : { entry: piece.entry, start: piece.start + from, end: piece.start + to },
    );
  }
  return cut;
}

/** Makes the names unique, because file systems need that. Some ignore case and Unicode composition, so this does too. */
export function distinctNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((name) => {
    const [, base = name, ending = ''] = /^(.+?)(\.[^.]{1,16})?$/su.exec(name) ?? [];
    let distinct = name;
    for (let count = 2; used.has(keyOf(distinct)); count++) distinct = `${base} (${count})${ending}`;
    used.add(keyOf(distinct));
    return distinct;
  });
}

function keyOf(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function localHeader({ name, octets, crc32, at }: ZipEntry): Buffer {
  const utf8 = Buffer.from(name);
  const isLarge = octets >= IN_ZIP64;
  // Both sizes, in this order: readers expect both (section 4.5.3).
  const extra = isLarge ? zip64([octets, octets]) : Buffer.alloc(0);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(LOCAL, 0);
  header.writeUInt16LE(isLarge ? VERSION_64 : VERSION, 4);
  writeCommon(header, 6, { octets: isLarge ? IN_ZIP64 : octets, crc32, at });
  header.writeUInt16LE(utf8.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, utf8, extra]);
}

function centralHeader({ name, octets, crc32, at }: ZipEntry, offset: number): Buffer {
  const utf8 = Buffer.from(name);
  const isLarge = octets >= IN_ZIP64;
  const isFar = offset >= IN_ZIP64;
  const values = [...(isLarge ? [octets, octets] : []), ...(isFar ? [offset] : [])];
  const extra = values.length === 0 ? Buffer.alloc(0) : zip64(values);
  const needed = isLarge || isFar ? VERSION_64 : VERSION;
  const header = Buffer.alloc(46);
  header.writeUInt32LE(CENTRAL, 0);
  header.writeUInt16LE(MADE_ON_UNIX | VERSION_64, 4);
  header.writeUInt16LE(needed, 6);
  writeCommon(header, 8, { octets: isLarge ? IN_ZIP64 : octets, crc32, at });
  header.writeUInt16LE(utf8.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(MODE, 38);
  header.writeUInt32LE(isFar ? IN_ZIP64 : offset, 42);
  return Buffer.concat([header, utf8, extra]);
}

/** Writes the fields that both headers have in common. */
function writeCommon(header: Buffer, from: number, { octets, crc32, at }: Omit<ZipEntry, 'name'>): void {
  const { date, time } = dosTime(at);
  header.writeUInt16LE(UTF8, from);
  header.writeUInt16LE(STORED, from + 2);
  header.writeUInt16LE(time, from + 4);
  header.writeUInt16LE(date, from + 6);
  header.writeUInt32LE(crc32, from + 8);
  header.writeUInt32LE(octets, from + 12);
  header.writeUInt32LE(octets, from + 16);
}

function endOf(count: number, offset: number, octets: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(Math.min(octets, IN_ZIP64), 12);
  end.writeUInt32LE(Math.min(offset, IN_ZIP64), 16);
  if (offset < IN_ZIP64 && octets < IN_ZIP64) return end;
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(END_64, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeUInt16LE(MADE_ON_UNIX | VERSION_64, 12);
  end64.writeUInt16LE(VERSION_64, 14);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(octets), 40);
  end64.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(LOCATOR_64, 0);
  locator.writeBigUInt64LE(BigInt(offset + octets), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([end64, locator, end]);
}

function zip64(values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  for (const [at, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + 8 * at);
  return extra;
}

/** A DOS time in UTC, so that the archive is the same for every download. DOS years range from 1980 to 2107. */
function dosTime(at: Date): { date: number; time: number } {
  const year = at.getUTCFullYear() - 1980;
  if (!(year >= 0 && year < 128)) return { date: (1 << 5) | 1, time: 0 };
  return {
    date: (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
  };
}
