import { withoutUnseen } from '../../rfc/without-unseen.ts';

/** A text as people see it, spaces folded, for who looks for something in it. */
export function seenText(text: string): string {
  return withoutUnseen(text.replaceAll(/\s+/g, ' ')).trim();
}
