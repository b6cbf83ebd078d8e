/** Compares the documentation, the alerts and the Grafana dashboard with the metrics. */
// Runs in its own process: it counts all events of the process.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { labelValuesOf } from '../observe/define.ts';
import { instanceRegistry, measureProcess, registry } from '../observe/registry.ts';

const DOCUMENTS = new URL('../../docs/operate/', import.meta.url);

interface Described {
  name: string;
  help: string;
  type: string;
  labelNames: readonly string[];
}

for (const name of ['metrics/exposition', 'observe/instruments', 'observe/pools'])
  await import(`../${name}.ts`);
measureProcess('test');
const ALL = [...registry.getMetricsAsArray(), ...instanceRegistry.getMetricsAsArray()].map(
  (metric) => metric as unknown as Described,
);
const BY_NAME = new Map(ALL.map((metric) => [metric.name, metric]));

function read(name: string): string {
  return readFileSync(new URL(name, DOCUMENTS), 'utf8');
}

/** Whether Prometheus stores a series with this name. */
function isSeries(name: string): boolean {
  const family = name.replace(/_(?:bucket|sum|count)$/, '');
  return BY_NAME.has(name)
    ? BY_NAME.get(name)?.type !== 'histogram'
    : BY_NAME.get(family)?.type === 'histogram';
}

/** The names of series in an expression. */
function namesIn(expression: string): string[] {
  return expression.replaceAll(/"[^"]*"/g, '').match(/\b(?:posthorn|process|nodejs)_[a-z0-9_]+/g) ?? [];
}

suite('docs/operate/metrics.md', () => {
  const rows = [...read('metrics.md').matchAll(/^\| `([a-z0-9_]+)` \|([^|]*)\|([^|]+)\|[^|]*\|$/gm)].map(
    ([, name = '', labels = '']) => ({
      name,
      labels: [...labels.matchAll(/`([a-z_]+)`/g)].map(([, label]) => label),
    }),
  );

  test('has one row for each existing series', () => {
    assert.deepEqual(rows.map(({ name }) => name).toSorted(), [...BY_NAME.keys()].toSorted());
  });

  test('lists the labels of each series', () => {
    for (const { name, labels } of rows)
      assert.deepEqual(labels, [...(BY_NAME.get(name)?.labelNames ?? [])], name);
  });

  test('lists the values of each label', () => {
    const page = read('metrics.md');
    for (const [name, labels] of labelValuesOf) {
      for (const [label, values] of Object.entries(labels)) {
        // Skip labels whose values are explained elsewhere: the categories of bounces on other pages, and the status codes by HTTP.
        if (label === 'category' || label === 'status') continue;
        for (const value of values ?? []) assert.ok(page.includes(`\`${value}\``), `${name}: ${value}`);
      }
    }
  });
});

test('names of metrics follow the conventions of Prometheus', () => {
  for (const { name, type, help } of ALL) {
    assert.match(name, /^(?:posthorn|process|nodejs)_[a-z0-9_]+$/);
    assert.equal(name.endsWith('_total'), type === 'counter', name);
    assert.doesNotMatch(name, /_(?:ms|milliseconds|minutes|kb|count|sum|bucket)(?:_|$)/);
    assert.match(help, /^[A-Z].*\.$/, name);
  }
});

suite('docs/operate/alerts.yaml', () => {
  interface Rule {
    alert: string;
    expr: string;
    labels: { severity: string };
    annotations: { summary: string };
  }
  const { groups } = parse(read('alerts.yaml')) as { groups: { rules: Rule[] }[] };

  test('uses only existing series, and has a severity and a summary for each alert', () => {
    const rules = groups.flatMap((group) => group.rules);
    assert.ok(rules.length > 0);
    for (const { alert, expr, labels, annotations } of rules) {
      const names = namesIn(expr);
      assert.ok(names.length > 0 || expr.includes('up{'), alert);
      for (const name of names) assert.ok(isSeries(name), `${alert}: ${name}`);
      assert.match(labels.severity, /^(?:critical|warning)$/, alert);
      assert.notEqual(annotations.summary, '', alert);
    }
  });
});

suite('docs/operate/grafana-dashboard.json', () => {
  interface Panel {
    id: number;
    type: string;
    title: string;
    datasource?: { uid: string };
    gridPos: { x: number; y: number; w: number; h: number };
    targets?: { expr: string; datasource: { uid: string } }[];
  }
  interface Dashboard {
    schemaVersion: number;
    panels: Panel[];
    templating: { list: { name: string; type: string; query: unknown }[] };
  }
  const dashboard = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');

  test('has a variable for the data source', () => {
    const chosen = dashboard.templating.list.find(({ name }) => name === 'datasource');
    assert.equal(chosen?.type, 'datasource');
    assert.equal(chosen.query, 'prometheus');
    for (const { datasource } of panels) assert.equal(datasource?.uid, '${datasource}');
    assert.ok(dashboard.schemaVersion >= 39);
  });

  test('has rows for all parts of the service', () => {
    const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    assert.deepEqual(rows, [
      'Sending',
      'Queue',
      'Destinations',
      'Webhooks',
      'API',
      'Tracking and reports',
      'Incoming mail',
      'Mail from mailboxes',
      'Sign-in',
      'File links',
      'Processes',
      'Database',
    ]);
  });

  test('uses only existing series', () => {
    for (const { title, targets = [] } of panels) {
      assert.notEqual(targets.length, 0, title);
      for (const { expr } of targets) {
        const names = namesIn(expr);
        assert.notEqual(names.length, 0, `${title}: ${expr}`);
        for (const name of names) assert.ok(isSeries(name), `${title}: ${name}`);
      }
    }
  });

  test('shows every series', () => {
    const shown = new Set(panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namesIn(expr))));
    for (const { name, type } of ALL) {
      if (!name.startsWith('posthorn_')) continue;
      const names = type === 'histogram' ? [`${name}_bucket`, `${name}_count`] : [name];
      assert.ok(
        names.some((each) => shown.has(each)),
        name,
      );
    }
  });

  test('has panels that do not overlap, with unique ids', () => {
    assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
    const taken = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      assert.ok(gridPos.x + gridPos.w <= 24, title);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(!taken.has(`${x} ${y}`), title);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });
});
