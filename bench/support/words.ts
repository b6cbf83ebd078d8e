/** Texts with realistic word frequencies for an index: few words occur in most texts, and most words occur in few texts. */
const VOCABULARY = 60_000;
/** The shift of the Zipf-Mandelbrot law. */
const SHIFT = 2.7;
const CONSONANTS = 'ttnnsshrrddllccmmffppggwybbvkjxqz';
const VOWELS = 'eeeeaaaoooiiiuuy';

export class Words {
  #seed = 42;
  readonly #words: string[] = [];
  /** The cumulative shares of the words. */
  readonly #sums: number[] = [];

  constructor() {
    const known = new Set<string>();
    for (let sum = 0; known.size < VOCABULARY; ) {
      const syllables = 1 + Math.floor(this.#random() * 3) + (known.size > 500 ? 1 : 0);
      const word = Array.from({ length: syllables }, () => this.#syllable()).join('');
      if (known.has(word)) continue;
      known.add(word);
      this.#words.push(word);
      sum += 1 / (known.size + SHIFT);
      this.#sums.push(sum);
    }
  }

  /** The word of a rank, in order of decreasing frequency. The most frequent word has rank 0. */
  ofRank(rank: number): string {
    return this.#words[rank] as string;
  }

  text(characters: number): string {
    let text = '';
    while (text.length < characters) {
      const random = this.#random();
      if (random < 0.02) text += Math.floor(this.#random() * 1e6);
      else text += this.#word();
      text += random > 0.92 ? ', ' : ' ';
    }
    return text;
  }

  /** A random length with the distribution of mail texts: half are below 1,500 characters, the average is 2,400, and few exceed 20,000. */
  length(): number {
    const [u, v] = [1 - this.#random(), this.#random()];
    const normal = Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
    return Math.min(60_000, Math.round(1_480 * Math.exp(normal)));
  }

  #word(): string {
    const target = this.#random() * (this.#sums.at(-1) as number);
    let [low, high] = [0, this.#sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sums[middle] as number) < target) low = middle + 1;
      else high = middle;
    }
    return this.#words[low] as string;
  }

  #syllable(): string {
    const one = (letters: string): string => letters[Math.floor(this.#random() * letters.length)] as string;
    return one(CONSONANTS) + one(VOWELS) + (this.#random() < 0.6 ? one(CONSONANTS) : '');
  }

  /** A pseudo-random number (Numerical Recipes). The fixed seed makes the texts the same in each run. */
  #random(): number {
    this.#seed = (this.#seed * 1_664_525 + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }
}
