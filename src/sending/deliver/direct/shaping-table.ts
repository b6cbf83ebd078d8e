/** Finds the rule for a destination. */
import type { FileRule, Limits, ShapingFile, ShapingRule } from './shaping-file.ts';

/** The rules of one file. */
class RuleIndex {
  readonly #byDomain = new Map<string, FileRule>();
  readonly #byMx = new Map<string, FileRule>();

  constructor(rules: readonly FileRule[]) {
    for (const rule of rules) {
      for (const domain of rule.domains) this.#byDomain.set(domain, rule);
      for (const suffix of rule.mx) this.#byMx.set(suffix, rule);
    }
  }

  /** The rule for the domain, else that for the first of its hosts that has one; there the longest name counts. */
  find(destination: string, mxHosts: readonly string[]): FileRule | null {
    const ofDomain = this.#byDomain.get(destination);
    if (ofDomain !== undefined) return ofDomain;
    for (const host of mxHosts) {
      for (let name = host; name !== ''; name = parentOf(name)) {
        const rule = this.#byMx.get(name);
        if (rule !== undefined) return rule;
      }
    }
    return null;
  }
}

export class ShapingTable {
  readonly #own: RuleIndex;
  readonly #builtIn: RuleIndex;
  readonly #default: Limits;

  /** @param own the operator's, which goes before `builtIn` */
  constructor(own: ShapingFile | null, builtIn: ShapingFile) {
    this.#own = new RuleIndex(own?.rules ?? []);
    this.#builtIn = new RuleIndex(builtIn.rules);
    // The built-in default leaves nothing open.
    this.#default = { ...(builtIn.default as Limits), ...own?.default };
  }

  /**
   * @param destination A-labels in lower case, or an address literal
   * @param mxHosts by preference, in lower case
   */
  find(destination: string, mxHosts: readonly string[]): ShapingRule {
    const own = this.#own.find(destination, mxHosts);
    const builtIn = this.#builtIn.find(destination, mxHosts);
    return {
      ...this.#default,
      ...builtIn?.limits,
      ...own?.limits,
      name: own?.name ?? builtIn?.name ?? null,
    };
  }
}

function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1);
}
