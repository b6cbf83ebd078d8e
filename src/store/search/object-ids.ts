/** Ids of messages as 16 octets each: of a usual word there are hundreds of thousands. */
export const ID_OCTETS = 16;

const ARRAY_HEADER = 20;
const UUID_OID = 2950;

/** As PostgreSQL takes them for `uuid[]` (array_recv). */
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

/** As text, each once. */
export function uuidsOf(ids: Buffer): string[] {
  const hex = ids.toString('hex');
  const uuids = new Set<string>();
  for (let at = 0; at < hex.length; at += 2 * ID_OCTETS)
    uuids.add(
      `${hex.slice(at, at + 8)}-${hex.slice(at + 8, at + 12)}-${hex.slice(at + 12, at + 16)}-${hex.slice(at + 16, at + 20)}-${hex.slice(at + 20, at + 32)}`,
    );
  return [...uuids];
}
