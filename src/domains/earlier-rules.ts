/**
 * The rules by which records were judged before they were judged as receivers do. They only decide whether a domain that was verified by
 * them gets time to correct its records (`tolerate.ts`), and are deleted together with that file.
 */
import type { ExpectedRecord } from './expected-records.ts';
import { withoutSpace } from './judge-dkim.ts';
import { policiesOf } from './spf/evaluate-spf.ts';
import { parseTags } from './tag-list.ts';

type Expected = Pick<ExpectedRecord, 'record' | 'value'>;

/** Whether the record was correct by the earlier rules. */
export function passedEarlier(records: readonly string[], expected: Expected): boolean {
  switch (expected.record) {
    case 'SPF':
      return passedSpf(records, expected.value.split(' ')[1] ?? '');
    case 'DKIM':
      return passedDkim(records, expected.value);
    case 'DMARC':
      return passedDmarc(records);
    default:
      return false;
  }
}

function passedSpf(records: readonly string[], mechanism: string): boolean {
  const policies = policiesOf(records);
  const terms = (policies[0] ?? '').toLowerCase().split(/ +/).slice(1);
  const at = terms.findIndex((term) => term.replace(/^\+/, '') === mechanism);
  const all = terms.findIndex((term) => /^[-+~?]?all$/.test(term));
  const isOpen = terms.some((term) => term === 'all' || term === '+all');
  return policies.length === 1 && at !== -1 && (all === -1 || all > at) && !isOpen;
}

function passedDkim(records: readonly string[], value: string): boolean {
  const found = parseTags(records[0] ?? '').tags;
  const shown = parseTags(value).tags;
  return (
    records.length === 1 &&
    (found.get('v') ?? 'DKIM1') === 'DKIM1' &&
    (found.get('k') ?? 'rsa') === shown.get('k') &&
    withoutSpace(found.get('p') ?? '') === shown.get('p')
  );
}

function passedDmarc(records: readonly string[]): boolean {
  const policies = records.filter((text) => /^v *= *DMARC1 *(?:;|$)/.test(text));
  const policy = parseTags(policies[0] ?? '').tags.get('p') ?? '';
  return policies.length === 1 && ['none', 'quarantine', 'reject'].includes(policy.toLowerCase());
}
