/** The tag of an address: `case-42` in `support+case-42@acme.example`. Null if the address has none. */
export function tagOf(address: string): string | null {
  const localPart = address.slice(0, Math.max(0, address.lastIndexOf('@')));
  const plus = localPart.indexOf('+');
  return plus <= 0 || plus === localPart.length - 1 ? null : localPart.slice(plus + 1);
}
