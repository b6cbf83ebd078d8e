/** The destination of a forward-path: its domain in A-labels and lower case, or its address literal. */
export function destinationOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
