/**
 * What makes two addresses of a directory one: no case, no matter how its characters are composed.
 *
 * @param address in the normal form of `parseMailbox`
 */
export function emailKey(address: string): string {
  return address.toLowerCase().normalize('NFC');
}
