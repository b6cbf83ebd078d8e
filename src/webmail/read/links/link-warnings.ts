import { seenText } from '../seen-text.ts';
import { judgeLink } from './judge-link.ts';

/** Warnings that name a link. All further misleading links are counted in one more. */
const MAX_NAMED = 20;
/** Characters of the text of a link. */
const MAX_TEXT = 60;
/** Characters that are read for it. */
const MAX_READ = 500;
const ASCII = /^[ -~]*$/;

/**
 * The misleading links of one message, in sentences that the page shows outside of the message. Attack: a layout that pushes the warning behind a link
 * out of sight. No layout of the message reaches these sentences.
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

  /** Misleading links, each as often as it is in the message. */
  get count(): number {
    return this.#count;
  }

  /** In the order of the message, one for all links with the same problem. At most 21. */
  get sentences(): string[] {
    const named = [...this.#named.values()];
    if (this.#others === 0) return named;
    return [...named, `${this.#others} more ${this.#others === 1 ? 'link is' : 'links are'} misleading.`];
  }
}

/** Attacks: a text that ends the quotation and goes on in the words of the page; letters from right to left that turn the sentence around. */
function linkNamed(text: string): string {
  const seen = [...seenText(text.slice(0, MAX_READ)).replaceAll(/["“”„‟«»]/g, "'")];
  if (seen.length === 0) return 'A link without text';
  const start = seen.slice(0, MAX_TEXT).join('').toWellFormed();
  const named = ASCII.test(start) ? start : `\u2068${start}\u2069`;
  return `The link “${named}${seen.length > MAX_TEXT ? '…' : ''}”`;
}
