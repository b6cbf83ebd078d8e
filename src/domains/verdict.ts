/** The judgement of a record that is in DNS. */
export interface Verdict {
  /** The problem and how to fix it. Null if the record works. */
  error: string | null;
  /** The term or tag that is wrong, as published. */
  wrongTerm?: string;
  /** Recommendations about a record that works. */
  advice?: readonly string[];
}

/** The maximum length of a term in a message. Attack: a record of 64 KB is shown in full. */
const MAX_TERM = 100;

/** Quotes a term of a record for a message. */
export function quoted(term: string): string {
  return `"${term.length > MAX_TERM ? `${term.slice(0, MAX_TERM)}…` : term}"`;
}

export function wrong(error: string, wrongTerm?: string): Verdict {
  return { error, ...(wrongTerm !== undefined && { wrongTerm: wrongTerm.slice(0, MAX_TERM) }) };
}
