/**
 * Merges texts in the format of Prometheus, as prom-client writes it: families with an empty line between them, each beginning with
 * the lines HELP and TYPE. A family that is in several texts may be in the result only once; its series differ by their labels.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function mergeFamilies(texts: readonly string[]): string {
  const families = new Map<string, string[]>();
  for (const text of texts) {
    for (const family of text.trimEnd().split('\n\n')) {
      const [help = '', type = '', ...series] = family.split('\n');
      if (series.length === 0) continue;
      const header = `${help}\n${type}`;
      const known = families.get(header);
      if (known === undefined) families.set(header, series);
      else known.push(...series);
    }
  }
  return [...families].map(([header, series]) => `${header}\n${series.join('\n')}\n`).join('\n');
}
