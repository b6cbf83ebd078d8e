/** The sites that mail went to of late. */
import type { ShapingRule } from './shaping.ts';
import { Site, type SiteOptions } from './site.ts';

const MAX_SITES = 10_000;

export class Sites {
  readonly #sites = new Map<string, Site>();

  /** The site of that key, under that rule; where there is none, it is made. */
  obtain(key: string, rule: ShapingRule, options: () => SiteOptions): Site {
    let site = this.#sites.get(key);
    if (site === undefined) {
      site = new Site(rule, options());
      this.#sites.set(key, site);
      if (this.#sites.size > MAX_SITES) this.#forgetOne();
    }
    site.rule = rule;
    return site;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sites.values()].map((site) => site.close()));
  }

  /** The oldest that is not in use. */
  #forgetOne(): void {
    for (const [key, site] of this.#sites) {
      if (!site.isUnused) continue;
      this.#sites.delete(key);
      return;
    }
  }
}
