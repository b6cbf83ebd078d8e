/** The text of a search, as its terms. The server reads it; here terms are only put in and taken out. */

const TERMS = /-?(?:[a-z]+:)?"(?:[^"\\]|\\.)*"?|\S+/gi;
const OPERATOR = /^-?(?:from|to|cc|subject|has|before|after|in|is|larger|smaller):./i;
const UNFINISHED = /(?:^|\s)-?(?:from|to|cc|subject|has|before|after|in|is|larger|smaller):"?$/i;

export function termsOf(text: string): string[] {
  return text.match(TERMS) ?? [];
}

/** Those that are more than words: `from:ann`, `has:file`. */
export function operatorsOf(text: string): string[] {
  return termsOf(text).filter((term) => OPERATOR.test(term));
}

export function without(text: string, term: string): string {
  return termsOf(text)
    .filter((each) => each !== term)
    .join(' ');
}

export function withTerm(text: string, term: string): string {
  return [...termsOf(text).filter((each) => each !== term), term].join(' ');
}

/** An operator whose value is still to come: there is nothing to ask for yet. */
export function isUnfinished(text: string): boolean {
  return UNFINISHED.test(text);
}
