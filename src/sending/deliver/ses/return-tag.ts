/**
 * What SES is told of a message in tags, and hands back with every event: its return path, and for what a mailbox sends, whose return path
 * leads to the mailbox alone, which message of it this is. Letters, digits, `_` and `-` are all that a tag takes. The domain of a return path
 * has no `_`, so nothing is lost.
 */

/** The name of the tag with the return path. */
export const RETURN_TAG = 'posthorn';
/** The name of the tag with the id of what a mailbox sends. */
export const SUBMISSION_TAG = 'posthorn_submission';

const VALUE = /^([bfm])_([0-9a-z]{62})_([0-9a-z_-]{1,255})$/i;

interface Tag {
  Name: string;
  Value: string;
}

/**
 * @param mailFrom of `ReturnPaths`, at most 254 characters, and so is its tag; any other, such as the null reverse-path, has none
 * @param emailId uuid of the email or submission
 */
export function returnTags(mailFrom: string, emailId: string): Tag[] {
  const tag = mailFrom.replaceAll(/[^0-9a-z-]/gi, '_');
  if (returnPathOf(tag) !== mailFrom) return [];
  const tags = [{ Name: RETURN_TAG, Value: tag }];
  return tag.startsWith('m_') ? [...tags, { Name: SUBMISSION_TAG, Value: emailId }] : tags;
}

/** Null for what is no such tag. Whether the return path came from here, it says itself. */
export function returnPathOf(tag: string): string | null {
  const [, kind, token, domain] = VALUE.exec(tag) ?? [];
  if (kind === undefined || token === undefined || domain === undefined) return null;
  return `${kind}+${token}@${domain.replaceAll('_', '.')}`;
}
