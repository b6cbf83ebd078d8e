import { encodePostings } from './postings.ts';
import { packTerms } from './term-list.ts';
import { eachWord } from './terms.ts';

const SPACE = 0x20;
const ASCII = 0x80;
/** One more than the last code point. */
const CODE_POINTS = 0x110000;

export interface BuiltSegment {
  /** The terms in the format of `TermList`. */
  terms: Buffer;
  postings: Buffer;
}

/** Builds the index of texts in normal form: a list of all terms, and the documents that contain each term. */
export class SegmentBuilder {
  #documents = 0;
  readonly #words = new Map<string, number[]>();
  /** The documents of each ASCII gram, by its one or two characters. ASCII grams are in a table, because most grams are ASCII. */
  readonly #asciiGrams: (number[] | undefined)[] = [];
  /** The last document of each ASCII gram, counted from 1. */
  readonly #lastOfAscii = new Int32Array(ASCII * ASCII);
  readonly #grams = new Map<number, number[]>();

  get documents(): number {
    return this.#documents;
  }

  add(text: string): void {
    const document = this.#documents++;
    eachWord(text, (start, end) => {
      const word = text.slice(start, end);
      const list = this.#words.get(word);
      if (list === undefined) this.#words.set(word, [document]);
      else if (list[list.length - 1] !== document) list.push(document);
    });
    let last = SPACE;
    for (let at = 0; at < text.length; at++) {
      const code = text.codePointAt(at) as number;
      if (code > 0xffff) at++;
      if (code > SPACE) {
        this.#addGram(0, code, document);
        if (last > SPACE) this.#addGram(last, code, document);
      }
      last = code;
    }
  }

  #addGram(first: number, second: number, document: number): void {
    if (first < ASCII && second < ASCII) {
      const key = first * ASCII + second;
      if (this.#lastOfAscii[key] === document + 1) return;
      this.#lastOfAscii[key] = document + 1;
      (this.#asciiGrams[key] ??= []).push(document);
      return;
    }
    const key = first * CODE_POINTS + second;
    const list = this.#grams.get(key);
    if (list === undefined) this.#grams.set(key, [document]);
    else if (list[list.length - 1] !== document) list.push(document);
  }

  finish(): BuiltSegment {
    const lists = new Map(this.#words);
    const addGrams = (base: number, key: number, list: number[]): void => {
      const first = Math.floor(key / base);
      const text = (first === 0 ? '' : String.fromCodePoint(first)) + String.fromCodePoint(key % base);
      // Words of one or two characters are also grams, with the same list.
      lists.set(text, list);
    };
    this.#asciiGrams.forEach((list, key) => list !== undefined && addGrams(ASCII, key, list));
    for (const [key, list] of this.#grams) addGrams(CODE_POINTS, key, list);
    const names = [...lists.keys()].sort();
    const postings = names.map((name) => encodePostings(lists.get(name) as number[], this.#documents));
    const lengths = postings.map(({ length }) => length);
    return { terms: packTerms(names, lengths), postings: Buffer.concat(postings) };
  }
}
