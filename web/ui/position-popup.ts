/** Positions a popup next to its anchor. */

export interface Placing {
  align: 'start' | 'center' | 'end';
  side: 'top' | 'bottom';
}

const GAP = 4;
const MARGIN = 8;

/** Positions the popup on the given side of the anchor, or on the other side if there is no space, and inside the window. */
export function positionPopup(popup: HTMLElement, anchor: Element, { align, side }: Placing): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popup;
  const { clientWidth, clientHeight } = document.documentElement;
  const below = at.bottom + GAP;
  const above = at.top - GAP - height;
  const fitsBelow = below + height <= clientHeight - MARGIN;
  const fitsAbove = above >= MARGIN;
  const top = (side === 'bottom' ? fitsBelow || !fitsAbove : !fitsAbove) ? below : above;
  const left = { start: at.left, center: at.left + (at.width - width) / 2, end: at.right - width }[align];
  popup.style.top = `${Math.max(MARGIN, Math.min(top, clientHeight - height - MARGIN))}px`;
  popup.style.left = `${Math.max(MARGIN, Math.min(left, clientWidth - width - MARGIN))}px`;
}
