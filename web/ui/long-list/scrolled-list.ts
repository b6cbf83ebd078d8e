import { EDGE, MAX_HEIGHT, positionAt, scrollFor } from './stretch.ts';

/** How many rows are rendered above the viewport, and how many below it. */
const OVERSCAN = 12;
/**
 * The wheel, keys and touch scroll by less than this many pixels at a time. A larger jump comes from the scrollbar,
 * Home, End or the back button. It selects a position as a fraction of the whole list.
 */
const STEP_PX = 5_000;
/**
 * After this pause scrolling is considered ended, in browsers without a scrollend event. Positions are not corrected
 * during a movement, because browsers would add the correction to the movement.
 */
const REST_MS = 150;
const HAS_SCROLLEND = 'onscrollend' in window;

interface Seen {
  first: number;
  last: number;
  /** The offset from a position in the list to a position in its element. */
  shift: number;
}

interface Size {
  count: number;
  /** The height of a row, in pixels. */
  height: number;
  /** The distance from the top of the scrolling element to the list, in pixels. */
  margin: number;
  /** Rows with a heading above them, by index, in order. A heading has the height `headingHeight`. */
  headings?: readonly number[];
  headingHeight?: number;
}

export interface Scroller {
  /** The scrolling element: the page (`document.documentElement`), or a part of it. */
  element: HTMLElement;
  /** The height in pixels of the bar that covers the top of the viewport. Rows scrolled to are placed below the bar. */
  bar: number;
}

/**
 * Computes the visible rows of a long list whose rows have equal height. A few rows can have a heading above them.
 * If the list is no taller than `MAX_HEIGHT`, positions in the list equal scroll positions. In a taller list, each
 * scroll step moves the rows by as many pixels as the viewport, so the scrollbar gets ahead of the position that it
 * represents. The scrollbar is corrected when scrolling ends, without moving the rows.
 */
export class ScrolledList {
  #size: Size = { count: 0, height: 1, margin: 0 };
  /** The position in the list at the top of the viewport. */
  #position = 0;
  /** The scroll position of the element that shows `#position`. */
  #scrolled = 0;
  #seen: Seen = { first: 0, last: -1, shift: 0 };
  #rest: ReturnType<typeof setTimeout> | undefined;
  #isMoving = false;
  #notify: () => void = () => {};
  readonly #scroller: () => Scroller;

  /** @param scroller returns the scrolling element. Called only after a listener has subscribed */
  constructor(scroller: () => Scroller) {
    this.#scroller = scroller;
  }

  readonly seen = (): Seen => this.#seen;

  /** Supports a single listener. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#notify = listener;
    const { element } = this.#scroller();
    // The window reports scrolling of the page.
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

  /** Sets the size of the list. New rows, or content above the list, do not move the visible rows. */
  setSize(size: Size): void {
    const isSameRow = this.#size.height === size.height;
    this.#size = size;
    const scrolled = this.#scrolledNow();
    const step = scrolled - this.#scrolled;
    // The user may have scrolled far before the browser reported the scroll event.
    const isStep = Math.abs(step) <= STEP_PX && this.#position <= this.#height;
    const isStretched = this.#height > MAX_HEIGHT && isSameRow && isStep;
    this.#position = isStretched ? this.#position + step : this.#positionAt(scrolled);
    this.#scrolled = scrolled;
    this.#measure();
    this.#restSoon();
  }

  /** Scrolls no further than needed to show a row. */
  showRow(index: number): void {
    const top = this.topOf(index);
    this.#position = Math.max(
      this.topOf(index + 1) - this.#view,
      Math.min(this.#position, top - this.#scroller().bar),
    );
    this.#settle();
  }

  /** Call when rows were added or removed above the visible rows. The visible rows do not move. */
  shiftBy(rows: number): void {
    this.#position = Math.max(0, this.#position + rows * this.#size.height);
    this.#settle();
  }

  /** The first fully visible row. */
  get top(): number {
    return Math.ceil(this.#rowAt(this.#position));
  }

  /** The position of a row in the list, including its heading, in pixels. */
  topOf(index: number): number {
    const { height, headings = [], headingHeight = 0 } = this.#size;
    return index * height + headings.filter((at) => at < index).length * headingHeight;
  }

  /** The row at a position, with a fraction. */
  #rowAt(position: number): number {
    const { height, headings = [], headingHeight = 0 } = this.#size;
    const above = headings.filter((at, n) => at * height + n * headingHeight < position).length;
    return (position - above * headingHeight) / height;
  }

  /** The height of the viewport. */
  get #view(): number {
    return this.#scroller().element.clientHeight;
  }

  /** The height of all rows together. */
  get #height(): number {
    return this.topOf(this.#size.count);
  }

  #scrolledNow(): number {
    return this.#scroller().element.scrollTop - this.#size.margin;
  }

  #positionAt(scrolled: number): number {
    return positionAt(scrolled, this.#height, this.#view);
  }

  readonly #onScroll = (): void => {
    this.#isMoving = true;
    const scrolled = this.#scrolledNow();
    const step = scrolled - this.#scrolled;
    const isStep = this.#height > MAX_HEIGHT && Math.abs(step) <= STEP_PX;
    this.#position = isStep ? this.#position + step : this.#positionAt(scrolled);
    this.#scrolled = scrolled;
    const drift = Math.abs(this.#drift());
    const room = Math.min(scrolled, MAX_HEIGHT - this.#view - scrolled);
    // Without a correction, the user would reach the end of the page before the end of the list.
    if (drift >= 1 && (drift > EDGE / 2 || room < EDGE / 2)) this.#settle();
    else this.#measure();
    this.#restSoon();
  };

  #drift(): number {
    return scrollFor(this.#position, this.#height, this.#view) - this.#scrolled;
  }

  #settle(): void {
    const drift = this.#drift();
    // On screens with fractional pixels, browsers scroll to fractions.
    if (Math.abs(drift) >= 1)
      this.#scroller().element.scrollTo({
        top: this.#scrolled + drift + this.#size.margin,
        behavior: 'instant',
      });
    this.#scrolled = this.#scrolledNow();
    if (this.#height <= MAX_HEIGHT) this.#position = this.#scrolled;
    this.#measure();
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
    if (!(HAS_SCROLLEND && this.#isMoving)) this.#rest = setTimeout(this.#onRest, REST_MS);
  }

  #measure(): void {
    const { count } = this.#size;
    const first = Math.max(0, Math.min(count - 1, Math.floor(this.#rowAt(this.#position))) - OVERSCAN);
    const last = Math.min(count - 1, Math.ceil(this.#rowAt(this.#position + this.#view)) + OVERSCAN);
    const shift = this.#scrolled - this.#position;
    const seen = this.#seen;
    if (seen.first === first && seen.last === last && seen.shift === shift) return;
    this.#seen = { first, last, shift };
    this.#notify();
  }
}
