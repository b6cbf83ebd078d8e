/** The copy of a message that a mailbox forwards: the stored message without this server's own fields. Pure functions. */

export interface ForwardedCopy {
  /** Fields to put in front of `rest`, each with its CRLF. */
  added: string;
  /** The message, starting at the first field that is not removed. */
  rest: Buffer;
  /** All fields, as Latin-1, each with its CRLF. */
  header: string;
  /** The body after the empty line. */
  body: Buffer;
  /** The value of the Authentication-Results field that this server added on receipt, on one line. */
  results: string;
  /** The verification result of the message's ARC chain. */
  chain: 'none' | 'pass' | 'fail';
}

const RETURN_PATH = Buffer.from('Return-Path:');
const RESULTS_NAME = Buffer.from('Authentication-Results:');
const RESULTS = /^Authentication-Results:([^\r\n]*(?:\r\n[ \t][^\r\n]*)*)\r\n/m;

/**
 * Removes Return-Path, because only the final server adds this field (RFC 5321, section 4.4). Adds Delivered-To, so that the message is
 * recognized if it returns in a mail loop.
 * @param filed the stored message, with the fields of this server on top
 * @param address the address of the mailbox
 */
export function forwardedCopy(filed: Buffer, address: string): ForwardedCopy {
  const hasReturnPath = filed.subarray(0, RETURN_PATH.length).equals(RETURN_PATH);
  const rest = hasReturnPath ? filed.subarray(filed.indexOf('\r\n') + 2) : filed;
  const end = rest.indexOf('\r\n\r\n');
  const headerEnd = end === -1 ? rest.length : end + 2;
  const header = rest.toString('latin1', 0, headerEnd);
  const mark = Buffer.from(`Delivered-To: ${address}\r\n`).toString('latin1');
  const added = header.startsWith(mark) ? '' : mark;
  const results = (RESULTS.exec(header)?.[1] ?? '').replaceAll(/\r\n[ \t]+/g, ' ').trim();
  return {
    added,
    rest,
    header: added + header,
    body: rest.subarray(Math.min(headerEnd + 2, rest.length)),
    results,
    chain: chainIn(results),
  };
}

/** The ARC result in Authentication-Results. Ignores comments and quoted values, because they are untrusted text. */
function chainIn(results: string): ForwardedCopy['chain'] {
  const said = results.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/\([^()]*\)/g, '');
  const found = /;\s*arc=(pass|fail)\b/.exec(said)?.[1];
  return found === undefined ? 'none' : (found as 'pass' | 'fail');
}

/**
 * Whether a mailbox redirects a message of another author. Only such a submission begins with authentication results: the submitter removes
 * those of mail apps and begins every other submission with Received (`src/sending/submit/submitter.ts`).
 */
export function isRedirected(submitted: Buffer): boolean {
  return submitted.subarray(0, RESULTS_NAME.length).equals(RESULTS_NAME);
}
