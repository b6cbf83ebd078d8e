import { seenText } from '../seen-text.ts';
import { judgeLink } from './judge-link.ts';

/** Maximum number of warnings that name a link. One more warning counts all further misleading links. */
const MAX_NAMED = 20;
/** The maximum number of characters quoted from a link text in a warning. */
const MAX_TEXT = 60;
/**
 * The maximum number of characters read from a link text for the warning. Larger than `MAX_TEXT`, because the warning omits invisible
 * characters.
 */
const MAX_READ = 500;
const ASCII = /^[ -~]*$/;

/**
 * Collects warnings about the misleading links of a message. The page shows these warnings outside the message, whose layout cannot affect
 * them. Attack: a layout that pushes the warning after a link out of sight.
 */
export class LinkWarnings {
  readonly #named = new Map<string, string>();
  #others = 0;
  #count = 0;

  /** @param text and @param parted as for `judgeLink` */
  add(href: string, text: string, parted = text): void {
    const problem = judgeLink(href, text, parted)?.problem ?? null;
    if (problem === null) return;
    this.#count += 1;
    if (this.#named.has(problem)) return;
    if (this.#named.size < MAX_NAMED) this.#named.set(problem, `${linkNamed(text)} ${problem}`);
    else this.#others += 1;
  }

  /** The number of misleading links, including duplicates. */
  get count(): number {
    return this.#count;
  }

  /** At most 21 warnings, in the order of the message. Links with the same problem share one warning. */
  get sentences(): string[] {
    const named = [...this.#named.values()];
    if (this.#others === 0) return named;
    return [...named, `${this.#others} more ${this.#others === 1 ? 'link is' : 'links are'} misleading.`];
  }
}

/**
 * Names a link by its text. Attacks: a text that closes the quotation and continues in the page's own words; right-to-left letters that
 * reorder the sentence.
 */
function linkNamed(text: string): string {
  const seen = [...seenText(text.slice(0, MAX_READ)).replaceAll(/["“”„‟«»]/g, "'")];
  if (seen.length === 0) return 'A link without text';
  const start = seen.slice(0, MAX_TEXT).join('').toWellFormed();
  const named = ASCII.test(start) ? start : `\u2068${start}\u2069`;
  return `The link “${named}${seen.length > MAX_TEXT ? '…' : ''}”`;
}
