/** Creates a unique key without `crypto.randomUUID`, which exists only over https. */
export function newKey(): string {
  const octets = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join('');
}
