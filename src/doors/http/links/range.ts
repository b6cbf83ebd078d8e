/** Parses the byte range that a client requests from a download (RFC 9110, section 14). */

/** The bytes from `start` up to but not including `end`. The status is 200 for the whole file and 206 for a range. */
export interface RequestedRange {
  status: 200 | 206;
  start: number;
  end: number;
}

/** Numbers have at most sixteen digits, as many as 2^53 has. A header with a longer number is ignored. */
const ONE_RANGE = /^bytes=\s*(?:(\d{1,16})\s*-\s*(\d{1,16})?|-\s*(\d{1,16}))\s*$/i;

/**
 * Returns the whole file for several ranges and for ranges in other units. Attack: a request for thousands of small or overlapping ranges
 * makes a response far larger than the file.
 * @param range the header `Range`
 * @param isCurrent whether the client has the first part of these exact bytes; true for a request without `If-Range`
 * @returns null if the range is outside the file (416)
 */
export function requestedRange(
  range: string | undefined,
  octets: number,
  isCurrent: boolean,
): RequestedRange | null {
  const whole = { status: 200, start: 0, end: octets } as const;
  if (range === undefined || !isCurrent) return whole;
  const [found, first, last, suffix] = ONE_RANGE.exec(range) ?? [];
  if (found === undefined) return whole;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), octets);
    return length === 0 ? null : { status: 206, start: octets - length, end: octets };
  }
  const start = Number(first);
  const end = last === undefined ? octets : Math.min(Number(last) + 1, octets);
  // A range that ends before it begins is invalid (section 14.1.1).
  if (last !== undefined && Number(last) < start) return whole;
  return start >= octets ? null : { status: 206, start, end };
}
