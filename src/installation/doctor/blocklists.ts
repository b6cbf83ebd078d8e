/** Checks that the blocklists of POSTHORN_DNSBL and POSTHORN_URIBL answer this machine, and only for what they list. */
import { testList } from '../../receiving/blocklists/blocklist.ts';
import type { ListSettings } from '../../receiving/blocklists/list-settings.ts';
import { type Finding, ok, warning } from './finding.ts';
import type { World } from './world.ts';

/** Looks up the test entries of each list. A list that fails counts nothing, so mail is not affected. */
export async function checkBlocklists({ dns }: World, lists: readonly ListSettings[]): Promise<Finding> {
  const failures = await Promise.all(
    lists.map(async (list) => {
      const failure = await testList(list, (name) => dns.a(name));
      return failure === null ? [] : [`${list.name}: ${failure.reason}.`];
    }),
  );
  const seen = failures.flat().join(' ');
  return seen === ''
    ? ok(`${lists.map(({ name }) => name).join(', ')}: every list answers as expected.`)
    : warning(
        `Blocklists do not count, because they do not answer as expected. ${seen}`,
        'Most lists refuse queries of public resolvers: run your own resolver and set POSTHORN_DNS. Check that you meet the terms of the list. Remove lists that no longer exist from POSTHORN_DNSBL and POSTHORN_URIBL.',
      );
}
