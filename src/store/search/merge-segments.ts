import { encodePostings, readPostings } from './postings.ts';
import type { BuiltSegment } from './segment-builder.ts';
import { packTerms, TermList } from './term-list.ts';

/** A segment with the number of its documents. */
interface CountedSegment extends BuiltSegment {
  documents: number;
}

/** Merges segments. The document numbers of each segment continue after the numbers of the previous segment. */
export function mergeSegments(segments: readonly CountedSegment[]): CountedSegment {
  const documents = segments.reduce((sum, segment) => sum + segment.documents, 0);
  /** For each term, its postings in each segment that contains the term. */
  const found = new Map<string, { octets: Buffer; segment: number }[]>();
  for (const [segment, { terms, postings }] of segments.entries()) {
    for (const { name, start, length } of new TermList(terms).all()) {
      const one = { octets: postings.subarray(start, start + length), segment };
      const others = found.get(name);
      if (others === undefined) found.set(name, [one]);
      else others.push(one);
    }
  }
  const offsets: number[] = [];
  let offset = 0;
  for (const segment of segments) {
    offsets.push(offset);
    offset += segment.documents;
  }
  const names = [...found.keys()].sort();
  const lists = names.map((name) => {
    const list: number[] = [];
    for (const { octets, segment } of found.get(name) ?? []) {
      const before = offsets[segment] as number;
      readPostings(octets, (segments[segment] as CountedSegment).documents, (document) =>
        list.push(before + document),
      );
    }
    return encodePostings(list, documents);
  });
  return {
    terms: packTerms(
      names,
      lists.map(({ length }) => length),
    ),
    postings: Buffer.concat(lists),
    documents,
  };
}
