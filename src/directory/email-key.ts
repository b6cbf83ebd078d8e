/**
 * The same for two spellings of one address of a directory: without case, and however its characters are composed.
 *
 * @param address in the normal form of `parseMailbox`
 */
export function emailKey(address: string): string {
  return address.toLowerCase().normalize('NFC');
}
