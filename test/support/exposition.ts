/**
 * A strict parser of Prometheus' text format, for `/metrics`.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
import assert from 'node:assert/strict';

interface Series {
  /** The name of the sample. Names in a histogram end with `_bucket`, `_sum` or `_count`. */
  name: string;
  /** The name of the sample's family. */
  family: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

export interface Exposed {
  series: readonly Series[];
  /** The types of families, by name. */
  types: ReadonlyMap<string, string>;
  /**
   * The sum of the series with this name and at least these labels.
   * @throws AssertionError if no series matches
   */
  sum(name: string, labels?: Readonly<Record<string, string>>): number;
  /** The values of a label in the series with this name. */
  valuesOf(name: string, label: string): Set<string>;
}

const NAME = /^[a-z][a-z0-9_]*$/;
const SAMPLE = /^([a-z][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z][a-z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const NUMBER = /^(?:[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?|[-+]Inf|Nan)$/;

/** @throws AssertionError if the text violates the format */
export function parseExposition(text: string): Exposed {
  assert.match(text, /[^\n]\n$/, 'the last line ends with a line feed, and is not empty');
  const types = new Map<string, string>();
  const series: Series[] = [];
  const seen = new Set<string>();
  let family = '';
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      assert.match(name, NAME);
      assert.ok(!types.has(name), `${name} occurs twice`);
      family = name;
      types.set(name, '');
    } else if (kind === 'TYPE') {
      assert.equal(name, family, 'TYPE follows HELP of the same family');
      assert.match(rest, /^(?:counter|gauge|histogram)$/);
      types.set(name, rest);
    } else {
      const one = parseSample(line, family, types.get(family) ?? '');
      const key = `${one.name} ${JSON.stringify(Object.entries(one.labels).sort())}`;
      assert.ok(!seen.has(key), `${key} occurs twice`);
      seen.add(key);
      series.push(one);
    }
  }
  checkHistograms(series, types);
  return {
    series,
    types,
    sum(name, labels = {}) {
      const found = series.filter((one) => one.name === name && matches(one.labels, labels));
      assert.notEqual(found.length, 0, `${name} ${JSON.stringify(labels)} is missing`);
      return found.reduce((sum, { value }) => sum + value, 0);
    },
    valuesOf: (name, label) =>
      new Set(series.flatMap((one) => (one.name === name ? [one.labels[label] ?? ''] : []))),
  };
}

function parseSample(line: string, family: string, type: string): Series {
  const [, name = '', labelText = '', number = ''] = SAMPLE.exec(line) ?? [];
  assert.notEqual(name, '', `not a sample: ${line}`);
  const suffix = name.startsWith(family) ? name.slice(family.length) : null;
  const allowed = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  assert.ok(suffix !== null && allowed.includes(suffix), `${name} is listed under ${family}, a ${type}`);
  assert.match(number, NUMBER, line);
  const value = Number(number.replace('Inf', 'Infinity'));
  return { name, family, labels: parseLabels(labelText), value };
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  for (let at = 0; at < text.length; at = LABEL.lastIndex) {
    const found = LABEL.exec(text);
    assert.ok(found !== null, `not labels: ${text}`);
    const [, name = '', escaped = ''] = found;
    assert.ok(!(name in labels), `${name} occurs twice`);
    labels[name] = escaped.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one));
  }
  return labels;
}

/** Checks that buckets are cumulative and in order, and that the last bucket equals the count. */
function checkHistograms(series: readonly Series[], types: ReadonlyMap<string, string>): void {
  const groups = Map.groupBy(
    series.filter(({ family }) => types.get(family) === 'histogram'),
    ({ family, labels }) => `${family} ${JSON.stringify(Object.entries({ ...labels, le: '' }).sort())}`,
  );
  for (const [key, group] of groups) {
    const buckets = group.filter(({ name }) => name.endsWith('_bucket'));
    const bounds = buckets.map(({ labels }) => Number(labels['le']?.replace('Inf', 'Infinity')));
    assert.ok(isAscending(bounds) && bounds.at(-1) === Number.POSITIVE_INFINITY, `${key}: ${bounds.join()}`);
    assert.ok(isAscending(buckets.map(({ value }) => value)), `${key} is not cumulative`);
    const count = group.find(({ name }) => name.endsWith('_count'));
    assert.equal(buckets.at(-1)?.value, count?.value, key);
    assert.ok(
      group.some(({ name }) => name.endsWith('_sum')),
      key,
    );
  }
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number >= (numbers[at - 1] as number));
}

function matches(
  labels: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}
