/** Judges a DMARC record as receivers do (RFC 7489, sections 6.3 and 6.6.3; RFC 9989, section 4.7). */
import { parseTags } from './tag-list.ts';
import { quoted, type Verdict, wrong } from './verdict.ts';

const POLICIES: ReadonlySet<string> = new Set(['none', 'quarantine', 'reject']);

/**
 * The values of tags that receivers replace with the default if they are wrong. A tag that is not listed is ignored. It is a map because an
 * object has `constructor` and other properties, which a record can use as tags.
 */
const VALUES: ReadonlyMap<string, RegExp> = new Map([
  ['v', /^/],
  ['p', /^/],
  ['sp', /^/],
  ['np', /^(?:none|quarantine|reject)$/i],
  ['adkim', /^[rs]$/i],
  ['aspf', /^[rs]$/i],
  ['fo', /^[01ds](?:[ \t]*:[ \t]*[01ds])*$/i],
  ['rf', /^[a-z0-9-]+$/i],
  ['ri', /^\d{1,10}$/],
  ['pct', /^(?:\d{1,2}|100)$/],
  ['psd', /^[ynu]$/i],
  ['t', /^[yn]$/i],
  ['rua', /^[a-z][a-z0-9+.-]*:[^\s,]+(?:[ \t]*,[ \t]*[a-z][a-z0-9+.-]*:[^\s,]+)*$/i],
  ['ruf', /^[a-z][a-z0-9+.-]*:[^\s,]+(?:[ \t]*,[ \t]*[a-z][a-z0-9+.-]*:[^\s,]+)*$/i],
]);
const MAX_ADVICE = 5;

/** The records that receivers read: those that begin with exactly `v=DMARC1`. Receivers ignore all others. */
export function dmarcRecords(records: readonly string[]): string[] {
  return records.filter((text) => /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(text));
}

export function judgeDmarc(records: readonly string[], name: string): Verdict {
  const policies = dmarcRecords(records);
  if (policies.length > 1)
    return wrong(
      `There are ${policies.length} DMARC records at ${name}, so receivers use none; leave only one.`,
    );
  const [policy] = policies;
  if (policy === undefined) return noRecord(records, name);
  const { tags, duplicate, notTag } = parseTags(policy);
  const invalid = (why: string, term?: string) =>
    wrong(`Receivers ignore the DMARC record at ${name}, because ${why}.`, term);
  if (duplicate !== null)
    return invalid(
      `it has a second ${quoted(duplicate.slice(0, duplicate.indexOf('=')).trim())} tag`,
      duplicate,
    );
  const p = tags.get('p');
  const only = 'p=none, p=quarantine or p=reject';
  if (p === undefined) return wrong(`The DMARC record at ${name} has no ${only}.`);
  if (!POLICIES.has(p.toLowerCase()))
    return wrong(`The DMARC record at ${name} has no ${only}, but ${quoted(`p=${p}`)}.`, `p=${p}`);
  const sp = tags.get('sp');
  if (sp !== undefined && !POLICIES.has(sp.toLowerCase())) {
    const why = `${quoted(`sp=${sp}`)} is not none, quarantine or reject`;
    // RFC 7489, section 6.6.3. With a valid rua=, receivers only ignore the policies.
    return VALUES.get('rua')?.test(tags.get('rua') ?? '') === true
      ? wrong(`Receivers treat the DMARC record at ${name} as p=none, because ${why}.`, `sp=${sp}`)
      : invalid(why, `sp=${sp}`);
  }
  const advice = [
    ...([...tags.keys()][1] === 'p'
      ? []
      : ['Put "p=" directly behind "v=DMARC1;": some receivers require it there.']),
    ...(notTag === null
      ? []
      : [
          notTag === ''
            ? 'The record has an empty part between two semicolons. Remove a semicolon.'
            : `Receivers ignore ${quoted(notTag)}, which is not a tag. Correct or remove it.`,
        ]),
    ...[...tags]
      .filter(([tag, value]) => VALUES.get(tag)?.test(value) !== true)
      .map(([tag, value]) => `Receivers ignore ${quoted(`${tag}=${value}`)}. Correct or remove it.`),
  ].slice(0, MAX_ADVICE);
  return { error: null, ...(advice.length > 0 && { advice }) };
}

function noRecord(records: readonly string[], name: string): Verdict {
  const error = `No TXT record at ${name} begins with v=DMARC1; add the one shown.`;
  // A record whose version is misspelt, in another position or after a blank.
  const near = records.find((text) => /(?:^|[;\s])v\s*=\s*DMARC/i.test(text));
  if (near === undefined) return wrong(error);
  const [, first = ''] = /^([^;]*)/.exec(near) ?? [];
  return wrong(
    `Receivers ignore the DMARC record at ${name}, because it begins with ${quoted(first)} instead of v=DMARC1; correct it.`,
    first,
  );
}
