/** As the list asks for it: what is kept is found by its address. */

export const LISTED = 50;

export function listPath(folder: string, at: number): string {
  return `/conversations?folder=${folder}&limit=${LISTED}&at=${at}`;
}
