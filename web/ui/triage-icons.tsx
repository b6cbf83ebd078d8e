/** Icons for labels, pinned, muted and snoozed mail. */
import { icon } from './icons.tsx';

export const PinIcon = icon(
  <path d="m9.75 2.25 4 4-1.25.75-2.25 2.25-.5 3-5-5 3-.5L9 4.5zM7.25 8.75l-4.5 4.5" />,
);
export const LabelIcon = icon(
  <>
    <path d="M2.25 3.5v3.6a1 1 0 0 0 .3.7l5.9 5.9a1 1 0 0 0 1.4 0l3.85-3.85a1 1 0 0 0 0-1.4L7.8 2.55a1 1 0 0 0-.7-.3H3.5c-.7 0-1.25.55-1.25 1.25z" />
    <path d="M5.5 5.5h.01" strokeWidth="2" />
  </>,
);
export const MuteIcon = icon(
  <path d="M4 6.75a4 4 0 0 1 6.6-3M12 6.75c0 1.9.4 3 .9 3.75M10.5 11.5H3c.6-.9 1-2 1-4M6.75 13.75h2.5M2.5 2.5l11 11" />,
);
export const SnoozeIcon = icon(
  <>
    <circle cx="8" cy="8.75" r="5" />
    <path d="M8 6v2.75l1.75 1.5M3.5 2.25 1.75 4M12.5 2.25 14.25 4" />
  </>,
);
