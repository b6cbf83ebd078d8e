import { sql } from 'kysely';
import type { Command } from 'commander';
import type { Database } from '../db/database.ts';
import { validationError } from '../model/app-error.ts';
import { example, json, print, withDatabase } from './command.ts';

export function defineTlsResults(tlsResults: Command): void {
  tlsResults
    .option('--day <day>', 'only this day (UTC): 2027-01-31; without this option, the last 30 days')
    .option('--domain <domain>', 'only the recipients at this domain')
    .addOption(json)
    .addHelpText('after', example('tls-results --domain gmail.com'))
    .action(listTlsResults);
}

const PAGE = 1_000;

interface Row {
  day: string;
  policyDomain: string;
  policyType: string;
  mxHost: string;
  outcome: string;
  sessions: string;
}

interface Filter {
  /** In UTC: 2027-01-31. */
  day?: string;
  domain?: string;
}

/** Prints a line for each kind of result, by day and domain: day, domain, policy, host, outcome, sessions. */
async function listTlsResults(options: Filter & { json?: boolean }): Promise<void> {
  if (options.day !== undefined && !isDay(options.day)) {
    throw validationError({ day: 'must be a day: 2027-01-31' });
  }
  await withDatabase(async (database) => {
    let page: readonly Row[] = [];
    do {
      page = await readPage(database, options, page.at(-1) ?? null);
      for (const row of page) print(options.json, shown(row), lineOf(row));
    } while (page.length === PAGE);
  });
}

async function readPage(database: Database, filter: Filter, after: Row | null): Promise<readonly Row[]> {
  const behind =
    after === null
      ? sql`true`
      : sql`(day, policy_domain, policy_type, mx_host, outcome) >
            (${after.day}::date, ${after.policyDomain}, ${after.policyType}, ${after.mxHost}, ${after.outcome})`;
  const { rows } = await sql<Row>`
    select day::text, policy_domain, policy_type, mx_host, outcome, sessions::text from tls_results
    where ${behind}
      and ${filter.day === undefined ? sql`true` : sql`day = ${filter.day}::date`}
      and ${filter.domain === undefined ? sql`true` : sql`policy_domain = ${filter.domain.toLowerCase()}`}
    order by tls_results.day, policy_domain, policy_type, mx_host, outcome
    limit ${PAGE}`.execute(database);
  return rows;
}

function lineOf({ day, policyDomain, policyType, mxHost, outcome, sessions }: Row): string {
  return [day, policyDomain, policyType, mxHost === '' ? '-' : mxHost, outcome, sessions].join('\t');
}

function shown({ day, policyDomain, policyType, mxHost, outcome, sessions }: Row) {
  return {
    day,
    policy_domain: policyDomain,
    policy_type: policyType,
    mx_host: mxHost === '' ? null : mxHost,
    outcome,
    sessions: Number(sessions),
  };
}

/** The calendar must have it, too. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(`${text}T`);
}
