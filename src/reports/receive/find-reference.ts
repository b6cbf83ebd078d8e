/** Which email a report is about, where it did not come to a return path. */
import type { OriginalMessage } from '../bounces/report.ts';
import type { ReturnPathOf, ReturnPaths } from '../return-path.ts';

/** The field of outgoing mail with `ReturnPaths.mintReference`: some feedback loops leave out the envelope. */
const REFERENCE_FIELD = 'x-posthorn-return';

/** Original-Mail-From is a field of the machine-readable part (RFC 5965, section 3.2). */
const FIELD =
  /^(?:original-mail-from|return-path|x-posthorn-return)[ \t]{0,8}:[ \t]{0,8}<?([br]\+[0-9a-z]{62}@[a-z0-9.-]{1,255})/gim;
const MAX_CANDIDATES = 20;

/**
 * The recipient or email of the first token that verifies: first the envelope that the report names, then the header of
 * the message in it. Only the lines of fields are read: a text may quote mail that somebody else was sent.
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
