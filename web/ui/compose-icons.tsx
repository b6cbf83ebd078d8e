/** Icons for the composer, in a separate file so that only the composer loads them. */
import { icon } from './icons.tsx';

export const BoldIcon = icon(
  <path d="M4.5 2.75h4a2.5 2.5 0 0 1 0 5h-4zM4.5 7.75h4.75a2.75 2.75 0 0 1 0 5.5H4.5z" strokeWidth="2" />,
);
export const ItalicIcon = icon(<path d="M6.5 2.75h5M4.5 13.25h5M9.25 2.75l-2.5 10.5" />);
export const UnderlineIcon = icon(<path d="M4.5 2.5v5a3.5 3.5 0 0 0 7 0v-5M3.75 13.75h8.5" />);
export const StrikeIcon = icon(
  <path d="M2.5 8h11M11.25 4.75c-.3-1.3-1.5-2-3.2-2-1.9 0-3.3.9-3.3 2.5 0 .6.2 1.1.5 1.5M4.6 11c.3 1.4 1.6 2.25 3.5 2.25 2 0 3.4-.9 3.4-2.6 0-.3 0-.5-.1-.7" />,
);
export const BulletsIcon = icon(<path d="M6 4h7.5M6 8h7.5M6 12h7.5M2.75 4h.01M2.75 8h.01M2.75 12h.01" />);
export const NumbersIcon = icon(
  <path
    d="M6.75 4h6.75M6.75 8h6.75M6.75 12h6.75M2.25 3.25l1-.75v3M2.1 10.75c.2-.5.6-.75 1-.75.6 0 1 .35 1 .85 0 .9-1.9 1.4-2 2.65h2"
    strokeWidth="1.25"
  />,
);
export const QuoteIcon = icon(<path d="M2.5 3v10M5.75 4.5h7.75M5.75 8h7.75M5.75 11.5h4.5" />);
export const LinkIcon = icon(
  <path d="M6.75 9.25a2.75 2.75 0 0 0 4 .25l2.25-2.25a2.75 2.75 0 0 0-3.9-3.9l-1 1M9.25 6.75a2.75 2.75 0 0 0-4-.25L3 8.75a2.75 2.75 0 0 0 3.9 3.9l1-1" />,
);
export const CodeIcon = icon(<path d="m5 4.25-3.5 3.75L5 11.75M11 4.25l3.5 3.75L11 11.75" />);
export const CodeBlockIcon = icon(
  <>
    <rect x="1.75" y="2.25" width="12.5" height="11.5" rx="1.5" />
    <path d="m4.75 6 2 2-2 2M8.5 10.5h2.75" />
  </>,
);
export const ClearIcon = icon(<path d="M4.5 2.75h8M8.5 2.75 7.4 7M6.75 10l-.8 3.25M2.5 2.5l11 11" />);
export const AttachIcon = icon(
  <path d="m12.75 7.25-5 5a3.1 3.1 0 0 1-4.4-4.4l5.3-5.3a2.05 2.05 0 0 1 2.9 2.9l-5.2 5.2a1 1 0 0 1-1.45-1.45l4.6-4.6" />,
);
export const SendIcon = icon(<path d="M14 2 7 9M14 2 9.5 14 7 9 2 6.5z" />);
export const ClockIcon = icon(
  <>
    <circle cx="8" cy="8" r="6.25" />
    <path d="M8 4.5V8l2.25 1.5" />
  </>,
);
export const MinimizeIcon = icon(<path d="M3 12.5h10" />);
export const ExpandIcon = icon(
  <path d="M9.5 2.5h4v4M6.5 13.5h-4v-4M13.25 2.75 9.5 6.5M2.75 13.25 6.5 9.5" />,
);
export const ShrinkIcon = icon(
  <path d="M13.5 6.5h-4v-4M2.5 9.5h4v4M9.75 6.25l3.75-3.75M6.25 9.75 2.5 13.5" />,
);
export const FileIcon = icon(
  <path d="M9 1.75H4.25a1 1 0 0 0-1 1v10.5a1 1 0 0 0 1 1h7.5a1 1 0 0 0 1-1V5.5zM9 1.75V5.5h3.75" />,
);
export const ImageIcon = icon(
  <>
    <rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.5" />
    <circle cx="5.5" cy="6.25" r="1.1" />
    <path d="m2 11.5 3.5-3 2.5 2 3-3 3 2.75" />
  </>,
);
export const TextIcon = icon(<path d="M3 4.5V3h10v1.5M8 3v10M6.25 13h3.5" />);
export const ColorIcon = icon(<path d="M4 10.25 7.25 2.5h1.5L12 10.25M5.1 7.75h5.8M2.5 13.5h11" />);
export const HighlightIcon = icon(
  <path d="m9.75 2.5 3.75 3.75-5.75 5.5H4.5l-.75-3zM6.75 5.5l3.75 3.75M2.5 13.75h11" />,
);
export const SizeIcon = icon(<path d="M1.75 4.5v-1h7.5v1M5.5 3.5v9M9.5 8.5v-.75h5v.75M12 7.75v4.75" />);
export const AlignIcon = icon(<path d="M2.5 3.5h11M2.5 6.5h7M2.5 9.5h11M2.5 12.5h7" />);
export const TableIcon = icon(
  <>
    <rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.5" />
    <path d="M1.75 6.25h12.5M1.75 9.75h12.5M8 2.75v10.5" />
  </>,
);
export const ResponseIcon = icon(<path d="M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2zM5 6h6M5 8h4" />);
