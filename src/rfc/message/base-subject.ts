const BLOB = /^\[[^[\]]*\]\s*/;
const REPLY = /^(?:\[[^[\]]*\]\s*)*(?:re|fwd?)\s*(?:\[[^[\]]*\]\s*)?:\s*/i;
const FORWARDED_TRAILER = /\(fwd\)$/i;
const FORWARDED = '[fwd:';
/** The maximum length of a subject, because the removal of prefixes one by one takes quadratic time. */
const MAX_LENGTH = 1_000;

/** The base subject: a decoded subject without prefixes such as `Re:` and `Fwd:` (RFC 5256, section 2.1). */
export function baseSubject(subject: string): string {
  return readSubject(subject).base;
}

/** Whether a decoded subject marks a reply or a forwarded message, because it has a prefix or suffix such as `Re:` or `(fwd)`. */
export function isReplySubject(subject: string): boolean {
  return readSubject(subject).isAnswer;
}

function readSubject(subject: string): { base: string; isAnswer: boolean } {
  let rest = subject.slice(0, MAX_LENGTH).replace(/\s+/g, ' ');
  let isAnswer = false;
  const without = (pattern: RegExp): string => {
    const left = rest.replace(pattern, '');
    isAnswer ||= left !== rest;
    return left;
  };
  for (;;) {
    for (rest = rest.trimEnd(); FORWARDED_TRAILER.test(rest); ) rest = without(FORWARDED_TRAILER).trimEnd();
    for (let before = ''; before !== rest; ) {
      before = rest;
      rest = rest.trimStart();
      rest = without(REPLY);
      const withoutBlob = rest.replace(BLOB, '');
      if (withoutBlob !== '') rest = withoutBlob;
    }
    if (!rest.toLowerCase().startsWith(FORWARDED) || !rest.endsWith(']')) return { base: rest, isAnswer };
    isAnswer = true;
    rest = rest.slice(FORWARDED.length, -1);
  }
}
