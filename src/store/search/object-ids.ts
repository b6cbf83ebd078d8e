/** Message ids are packed as 16 octets each, because a common word may match hundreds of thousands of messages. */
export const ID_OCTETS = 16;

const ARRAY_HEADER = 20;
const UUID_OID = 2950;

/** Encodes ids in PostgreSQL's binary format for `uuid[]` (array_recv). */
export function packedUuidArray(ids: Buffer): Buffer {
  const count = ids.length / ID_OCTETS;
  const array = Buffer.allocUnsafe(ARRAY_HEADER + count * (4 + ID_OCTETS));
  array.writeInt32BE(1, 0);
  array.writeInt32BE(0, 4);
  array.writeInt32BE(UUID_OID, 8);
  array.writeInt32BE(count, 12);
  array.writeInt32BE(1, 16);
  let to = ARRAY_HEADER;
  for (let at = 0; at < ids.length; at += ID_OCTETS) {
    to = array.writeInt32BE(ID_OCTETS, to);
    to += ids.copy(array, to, at, at + ID_OCTETS);
  }
  return array;
}

export function packedIds(ids: readonly string[]): Buffer {
  return Buffer.from(ids.join('').replaceAll('-', ''), 'hex');
}

/** Compares the nth id of one list with the mth of another, in the order of PostgreSQL. */
export function compareIds(ids: Buffer, n: number, others: Buffer, m: number): number {
  for (let word = 0; word < ID_OCTETS; word += 4) {
    const order = ids.readUInt32BE(n * ID_OCTETS + word) - others.readUInt32BE(m * ID_OCTETS + word);
    if (order !== 0) return order;
  }
  return 0;
}

/** The position of the nth id of `ids` in a sorted list, or -1 if the list does not have this id. */
export function positionOf(list: Buffer, ids: Buffer, n: number): number {
  let [low, high] = [0, list.length / ID_OCTETS - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compareIds(ids, n, list, middle);
    if (order === 0) return middle;
    if (order < 0) high = middle - 1;
    else low = middle + 1;
  }
  return -1;
}

/** The nth id as text. */
export function uuidAt(ids: Buffer, n: number): string {
  return uuidOf(ids.toString('hex', n * ID_OCTETS, (n + 1) * ID_OCTETS), 0);
}

/** The ids as text, without duplicates. */
export function uuidsOf(ids: Buffer): string[] {
  const hex = ids.toString('hex');
  const uuids = new Set<string>();
  for (let at = 0; at < hex.length; at += 2 * ID_OCTETS) uuids.add(uuidOf(hex, at));
  return [...uuids];
}

function uuidOf(hex: string, at: number): string {
  return `${hex.slice(at, at + 8)}-${hex.slice(at + 8, at + 12)}-${hex.slice(at + 12, at + 16)}-${hex.slice(at + 16, at + 20)}-${hex.slice(at + 20, at + 32)}`;
}
