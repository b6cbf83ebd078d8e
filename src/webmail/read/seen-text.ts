import { withoutUnseen } from '../../rfc/without-unseen.ts';

/** A text as people see it, with white space collapsed, in a form that can be searched. */
export function seenText(text: string): string {
  return withoutUnseen(text.replaceAll(/\s+/g, ' ')).trim();
}
