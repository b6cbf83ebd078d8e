/**
 * Tags that SES stores with a message and returns with every event: the message's return path and, for mailbox mail, the id of the
 * submission. The id is needed because a mailbox's return path identifies only the mailbox. Tags may contain only letters, digits, `_` and
 * `-`. The domain of a return path contains no `_`, so the encoding is reversible.
 */

/** The name of the tag with the return path. */
export const RETURN_TAG = 'posthorn';
/** The name of the tag with the id of the submission. */
export const SUBMISSION_TAG = 'posthorn_submission';

const VALUE = /^([bfm])_([0-9a-z]{62})_([0-9a-z_-]{1,255})$/i;

interface Tag {
  Name: string;
  Value: string;
}

/**
 * @param mailFrom a return path from `ReturnPaths`; the path and its tag have at most 254 characters. Any other path, such as the null
 * reverse-path, gets no tag
 * @param emailId UUID of the email or submission
 */
export function returnTags(mailFrom: string, emailId: string): Tag[] {
  const tag = mailFrom.replaceAll(/[^0-9a-z-]/gi, '_');
  if (returnPathOf(tag) !== mailFrom) return [];
  const tags = [{ Name: RETURN_TAG, Value: tag }];
  return tag.startsWith('m_') ? [...tags, { Name: SUBMISSION_TAG, Value: emailId }] : tags;
}

/**
 * Decodes a tag. Null if the text is not a tag. The signature in the return path shows whether this installation created the return path.
 */
export function returnPathOf(tag: string): string | null {
  const [, kind, token, domain] = VALUE.exec(tag) ?? [];
  if (kind === undefined || token === undefined || domain === undefined) return null;
  return `${kind}+${token}@${domain.replaceAll('_', '.')}`;
}
