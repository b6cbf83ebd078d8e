/** Verifies signatures of the service with dkimpy. */
import { dkimRecord } from '../../src/rfc/dkim/record.ts';
import type { Service } from '../support/service.ts';
import { runPython } from './peers.ts';

type SignatureResult = [algorithm: string, result: string];

/** The expected results of the two signatures that every message has. */
export const both = (result: string): SignatureResult[] => [
  ['rsa-sha256', result],
  ['ed25519-sha256', result],
];

/** The DKIM records to publish in DNS, by name. */
export async function keyRecords({ database }: Service): Promise<Record<string, string>> {
  const keys = await database
    .selectFrom('dkimKeys')
    .innerJoin('domains', 'domains.id', 'dkimKeys.domainId')
    .select(['name', 'selector', 'algorithm', 'publicKey'])
    .execute();
  return Object.fromEntries(
    keys.map((key) => [`${key.selector}._domainkey.${key.name}`, dkimRecord(key.algorithm, key.publicKey)]),
  );
}

/** Verifies the signatures of each message, in order. Each signature has the result `pass` or `fail`. */
export async function verifyWithDkimpy(
  records: Record<string, string>,
  messages: readonly Buffer[],
): Promise<SignatureResult[][]> {
  return runPython(new URL('verify-dkim.py', import.meta.url), {
    records,
    messages: messages.map((message) => message.toString('base64')),
  });
}
