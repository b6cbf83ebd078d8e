/** RFC 8970, section 3.2: more than 200 should not be sent. */
const MAX_PREVIEW = 200;
/** How much of a text is looked at. */
const MAX_READ = 8_192;

const QUOTED = /^\s*>/;
/** `On Monday A. wrote:` stands above what is quoted. */
const ATTRIBUTION = /^.{1,300}:$/;
const RULE = /^[\s\-_=*~#|]+$/;
const LINK_TARGET = /\(https?:\/\/[^\s)]*\)?/g;
const NOT_SHOWN = /[\s\p{Cc}\p{Cf}]+/gu;

/** The first words of a text on one line, at most 200 characters (code points). Never throws. */
export function previewOf(text: string): string {
  const lines = text.slice(0, MAX_READ).split('\n');
  const own = lines.filter((line, at) => {
    if (QUOTED.test(line) || RULE.test(line)) return false;
    const next = lines.slice(at + 1, at + 3).find((other) => other.trim() !== '') ?? '';
    return !(QUOTED.test(next) && ATTRIBUTION.test(line.trim()));
  });
  const line = (own.join(' ').trim() === '' ? lines : own)
    .join(' ')
    .replace(LINK_TARGET, '')
    .replace(NOT_SHOWN, ' ')
    .trim()
    .toWellFormed();
  const characters = [...line];
  return characters.length <= MAX_PREVIEW
    ? line
    : `${characters
        .slice(0, MAX_PREVIEW - 1)
        .join('')
        .trimEnd()}…`;
}
