/**
 * The return path of a message as the value of a tag, which SES hands back with every event: letters, digits, `_` and
 * `-` are all that it takes. The domain of a return path has no `_`, so nothing is lost.
 */

/** The name of the tag. */
export const RETURN_TAG = 'posthorn';

const VALUE = /^b_([0-9a-z]{62})_([0-9a-z_-]{1,255})$/i;

/** @param returnPath of `ReturnPaths.mint`; at most 254 characters, and so is the tag */
export function returnTag(returnPath: string): string {
  return returnPath.replaceAll(/[^0-9a-z-]/gi, '_');
}

/** Null for what is no such tag. Whether the return path came from here, it says itself. */
export function returnPathOf(tag: string): string | null {
  const [, token, domain] = VALUE.exec(tag) ?? [];
  return token === undefined || domain === undefined ? null : `b+${token}@${domain.replaceAll('_', '.')}`;
}
