import { randomBytes } from 'node:crypto';

const processPart = randomBytes(9).toString('base64url');
let count = 0;

/** Names a request in its answer and in the log. Unique over processes; tells nothing and guards nothing. */
export function newRequestId(): string {
  count += 1;
  return `req_${processPart}${count.toString(36)}`;
}
