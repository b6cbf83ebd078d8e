/** Finds the email that a report is about, for reports that were not sent to a return path. */
import type { OriginalMessage } from '../bounces/report.ts';
import type { ReturnPathOf, ReturnPaths } from '../return-path.ts';

/** The header field of outgoing mail that contains `ReturnPaths.mintReference`, because some feedback loops omit the envelope. */
const REFERENCE_FIELD = 'x-posthorn-return';

/**
 * The fields that may contain a return path or reference. Original-Mail-From is a field of the machine-readable part (RFC 5965, section
 * 3.2).
 */
const FIELD =
  /^(?:original-mail-from|return-path|x-posthorn-return)[ \t]{0,8}:[ \t]{0,8}<?([br]\+[0-9a-z]{62}@[a-z0-9.-]{1,255})/gim;
const MAX_CANDIDATES = 20;

/**
 * Returns the recipient or email of the first token that verifies: from the envelope in the report, then from the header of the original
 * message. Attack: the text of a report may quote someone else's mail, so only header fields are read.
 */
export function findReference(
  report: { original: OriginalMessage | null },
  raw: Buffer,
  returnPaths: ReturnPaths,
): ReturnPathOf | null {
  const fields = (report.original?.fields ?? [])
    .filter(({ name }) => name === REFERENCE_FIELD)
    .map(({ value }) => value.trim());
  const written: string[] = [];
  for (const [, address = ''] of raw.toString('latin1').matchAll(FIELD)) {
    if (written.push(address) === MAX_CANDIDATES) break;
  }
  const candidates = [report.original?.returnPath ?? '', ...written, ...fields.slice(0, MAX_CANDIDATES)];
  const envelope = candidates.map((text) => returnPaths.verify(text)).find((of) => of !== null);
  return (
    envelope ?? candidates.map((text) => returnPaths.verifyReference(text)).find((of) => of !== null) ?? null
  );
}
