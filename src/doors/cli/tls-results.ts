import type { Command } from 'commander';
import type { TlsResult } from '../../contract/dashboard/tls-results.ts';
import { readTlsResults } from '../../installation/system/tls-results.ts';
import { example, json, print, withDatabase } from './command.ts';

export function defineTlsResults(tlsResults: Command): void {
  tlsResults
    .option('--day <day>', 'only this day (UTC): 2027-01-31; default: the last 30 days')
    .option('--domain <domain>', 'only recipients at this domain')
    .addOption(json)
    .addHelpText('after', example('tls-results --domain gmail.com'))
    .action(listTlsResults);
}

const PAGE = 1_000;

interface Options {
  /** The day in UTC, such as 2027-01-31. */
  day?: string;
  domain?: string;
  json?: boolean;
}

/** Prints one line per kind of result, ordered by day and domain. The columns are day, domain, policy, host, outcome and sessions. */
async function listTlsResults({ json, ...filter }: Options): Promise<void> {
  await withDatabase(async ({ database }) => {
    let page: readonly TlsResult[] = [];
    do {
      const after = page.at(-1) ?? null;
      page = await readTlsResults(database, filter, { after, limit: PAGE, isNewestFirst: false });
      for (const result of page) print(json, result, lineOf(result));
    } while (page.length === PAGE);
  });
}

function lineOf({ day, policy_domain, policy_type, mx_host, outcome, sessions }: TlsResult): string {
  return [day, policy_domain, policy_type, mx_host ?? '-', outcome, sessions].join('\t');
}
