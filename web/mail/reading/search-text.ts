/** Edits the search text. The server parses the text; this file only adds and removes terms. */

const TERMS = /-?(?:[a-z]+:)?"(?:[^"\\]|\\.)*"?|\S+/gi;
const OPERATOR = /^-?(?:from|to|cc|subject|filename|label|has|before|after|in|is|larger|smaller):./i;
const UNFINISHED =
  /(?:^|\s)-?(?:from|to|cc|subject|filename|label|has|before|after|in|is|larger|smaller):"?$/i;

export function termsOf(text: string): string[] {
  return text.match(TERMS) ?? [];
}

/** The operators in a search, such as `from:ann` and `has:file`. */
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

/** Whether the last operator still lacks its value, so that no search is possible yet. */
export function isUnfinished(text: string): boolean {
  return UNFINISHED.test(text);
}
