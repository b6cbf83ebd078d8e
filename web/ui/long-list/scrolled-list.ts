import { EDGE, MAX_HEIGHT, placeAt, scrollFor } from './stretch.ts';

/** Rows above and below the window. */
const OVERSCAN = 12;
/** Wheels, keys and fingers scroll by less at a time. More is the bar, Home, End or the way back: these mean a part of the whole. */
const STEP_PX = 5_000;
/** Without a step for so long, the page rests, where browsers do not say so. In the middle of a movement it is not put right: they would add to both. */
const REST_MS = 150;
const SAYS_END = 'onscrollend' in window;

interface Seen {
  first: number;
  last: number;
  /** From a place in the list to that in its element. */
  shift: number;
}

interface Size {
  count: number;
  /** Of a row, in px. */
  height: number;
  /** From the top of what scrolls to the list, in px. */
  margin: number;
}

export interface Scroller {
  /** What scrolls: the page (`document.documentElement`), or an element of it. */
  element: HTMLElement;
  /** What stands above it while it scrolls, in px: a row that is gone to is not below it. */
  bar: number;
}

/**
 * Which rows of a long list are in sight, all of one height, within what scrolls: its window.
 *
 * As long as the list is no higher than an element may be, its places are those of the window. Beyond that each step scrolls rows by as much as
 * the window, and so the bar gets ahead of what it stands for: it is put right while the window rests, and the rows stay where they are.
 */
export class ScrolledList {
  #size: Size = { count: 0, height: 1, margin: 0 };
  /** What of the list is at the upper edge of the window. */
  #place = 0;
  /** How far its element is scrolled for that. */
  #scrolled = 0;
  #seen: Seen = { first: 0, last: -1, shift: 0 };
  #rest: ReturnType<typeof setTimeout> | undefined;
  #isMoving = false;
  #notify: () => void = () => {};
  readonly #scroller: () => Scroller;

  /** @param scroller asked when somebody listens, and from then on */
  constructor(scroller: () => Scroller) {
    this.#scroller = scroller;
  }

  readonly seen = (): Seen => this.#seen;

  /** For one listener. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#notify = listener;
    const { element } = this.#scroller();
    // The page says at its window that it scrolls.
    const speaker = element === document.documentElement ? window : element;
    speaker.addEventListener('scroll', this.#onScroll, { passive: true });
    speaker.addEventListener('scrollend', this.#onRest);
    const sizes = new ResizeObserver(this.#onResize);
    sizes.observe(element);
    window.addEventListener('resize', this.#onResize);
    return () => {
      speaker.removeEventListener('scroll', this.#onScroll);
      speaker.removeEventListener('scrollend', this.#onRest);
      sizes.disconnect();
      window.removeEventListener('resize', this.#onResize);
      clearTimeout(this.#rest);
    };
  };

  /** Rows that come, or what stands above them, do not move what is seen. */
  setSize(size: Size): void {
    const isSameRow = this.#size.height === size.height;
    this.#size = size;
    const scrolled = this.#scrolledNow();
    const step = scrolled - this.#scrolled;
    // Somebody may have gone elsewhere, and the browser has not said so yet.
    const isStep = Math.abs(step) <= STEP_PX && this.#place <= this.#height;
    const isStretched = this.#height > MAX_HEIGHT && isSameRow && isStep;
    this.#place = isStretched ? this.#place + step : this.#placeAt(scrolled);
    this.#scrolled = scrolled;
    this.#look();
    this.#restSoon();
  }

  /** Scrolls by as little as shows a row. */
  showRow(index: number): void {
    const { height } = this.#size;
    const top = index * height;
    this.#place = Math.max(top + height - this.#view, Math.min(this.#place, top - this.#scroller().bar));
    this.#settle();
  }

  /** Rows have come above those in sight, or gone: they stay where they are. */
  shiftBy(rows: number): void {
    this.#place = Math.max(0, this.#place + rows * this.#size.height);
    this.#settle();
  }

  /** The first row that is wholly in sight. */
  get top(): number {
    return Math.ceil(this.#place / this.#size.height);
  }

  /** How high the window is. */
  get #view(): number {
    return this.#scroller().element.clientHeight;
  }

  /** Of all rows together. */
  get #height(): number {
    return this.#size.count * this.#size.height;
  }

  #scrolledNow(): number {
    return this.#scroller().element.scrollTop - this.#size.margin;
  }

  #placeAt(scrolled: number): number {
    return placeAt(scrolled, this.#height, this.#view);
  }

  readonly #onScroll = (): void => {
    this.#isMoving = true;
    const scrolled = this.#scrolledNow();
    const step = scrolled - this.#scrolled;
    const isStep = this.#height > MAX_HEIGHT && Math.abs(step) <= STEP_PX;
    this.#place = isStep ? this.#place + step : this.#placeAt(scrolled);
    this.#scrolled = scrolled;
    const drift = Math.abs(this.#drift());
    const room = Math.min(scrolled, MAX_HEIGHT - this.#view - scrolled);
    // Who never rests would come to an end of the page before that of the list.
    if (drift >= 1 && (drift > EDGE / 2 || room < EDGE / 2)) this.#settle();
    else this.#look();
    this.#restSoon();
  };

  #drift(): number {
    return scrollFor(this.#place, this.#height, this.#view) - this.#scrolled;
  }

  #settle(): void {
    const drift = this.#drift();
    // Where pixels are divided, browsers scroll to parts of them.
    if (Math.abs(drift) >= 1)
      this.#scroller().element.scrollTo({
        top: this.#scrolled + drift + this.#size.margin,
        behavior: 'instant',
      });
    this.#scrolled = this.#scrolledNow();
    if (this.#height <= MAX_HEIGHT) this.#place = this.#scrolled;
    this.#look();
  }

  readonly #onResize = (): void => {
    this.#onScroll();
    this.#isMoving = false;
  };

  readonly #onRest = (): void => {
    this.#isMoving = false;
    if (this.#height > MAX_HEIGHT) this.#settle();
  };

  #restSoon(): void {
    clearTimeout(this.#rest);
    if (!(SAYS_END && this.#isMoving)) this.#rest = setTimeout(this.#onRest, REST_MS);
  }

  #look(): void {
    const { count, height } = this.#size;
    const first = Math.max(0, Math.min(count - 1, Math.floor(this.#place / height)) - OVERSCAN);
    const last = Math.min(count - 1, Math.ceil((this.#place + this.#view) / height) + OVERSCAN);
    const shift = this.#scrolled - this.#place;
    const seen = this.#seen;
    if (seen.first === first && seen.last === last && seen.shift === shift) return;
    this.#seen = { first, last, shift };
    this.#notify();
  }
}
