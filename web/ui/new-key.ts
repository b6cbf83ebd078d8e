/** Names something that is made here, as nobody else does. `crypto.randomUUID` is there with https alone. */
export function newKey(): string {
  const octets = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('');
}
