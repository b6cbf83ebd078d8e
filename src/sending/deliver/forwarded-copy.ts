/** A message as a mailbox passes it on: as it was filed, without what is this server's alone. Pure. */

export interface ForwardedCopy {
  /** To be put in front of `rest`: fields, each with its CRLF. */
  added: string;
  /** From the first of the fields that stay on. */
  rest: Buffer;
  /** All fields, as Latin-1, each with its CRLF. */
  header: string;
  /** Behind the empty line. */
  body: Buffer;
  /** What was found out when the message came: the value of our Authentication-Results, on one line. */
  results: string;
  /** What was found out about its ARC chain. */
  chain: 'none' | 'pass' | 'fail';
}

const RETURN_PATH = Buffer.from('Return-Path:');
const RESULTS = /^Authentication-Results:([^\r\n]*(?:\r\n[ \t][^\r\n]*)*)\r\n/m;

/**
 * Return-Path goes, because only the last server on the way writes it (RFC 5321, section 4.4). By Delivered-To the message is known when it
 * comes back.
 * @param filed with the fields of this server on top
 * @param address of the mailbox
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

/** Comments and quoted values are what others wrote. */
function chainIn(results: string): ForwardedCopy['chain'] {
  const said = results.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/\([^()]*\)/g, '');
  const found = /;\s*arc=(pass|fail)\b/.exec(said)?.[1];
  return found === undefined ? 'none' : (found as 'pass' | 'fail');
}
