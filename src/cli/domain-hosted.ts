import { readClaims } from '../domains/claim.ts';
import { expectedRecords } from '../domains/expected-records.ts';
import { ensureHostedDomain, HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import { printRecords } from './print-records.ts';
import { openSealer, withDatabase } from './with-database.ts';

/** Prints the records that the operator publishes for the hosted domain. */
export async function showHostedDomain({ json }: { json?: boolean }): Promise<void> {
  await withDatabase(async (database, config) => {
    const { hostedDomain, hostname } = config;
    await ensureHostedDomain(database, await openSealer(database, config), hostedDomain);
    const claims = await readClaims(database, HOSTED_PROJECT_ID, hostedDomain);
    const keys = claims.find(({ name }) => name === hostedDomain)?.keys ?? [];
    const records = expectedRecords(hostedDomain, keys, hostname);
    if (json === true) process.stdout.write(`${JSON.stringify({ domain: hostedDomain, records })}\n`);
    else printRecords([`domain: ${hostedDomain}`], records);
  });
}
