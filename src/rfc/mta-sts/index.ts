/** MTA Strict Transport Security (RFC 8461): the record, the policy, and which hosts it allows. */
export { mxMatches } from './mx-matches.ts';
export { parsePolicy, type StsPolicy } from './parse-policy.ts';
export { parseStsRecord } from './parse-sts-record.ts';
