/**
 * Icons at 16 px with strokes of 1.5 px. Icons are hidden from screen readers, so put a name beside the icon or on the
 * button that contains it.
 */
import type { ReactNode } from 'react';

export function icon(content: ReactNode) {
  return function Icon({ className }: { className?: string }) {
    return (
      <svg
        viewBox="0 0 16 16"
        width="16"
        height="16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        className={`shrink-0 ${className ?? ''}`}
      >
        {content}
      </svg>
    );
  };
}

export const StartIcon = icon(
  <path d="M2.5 7.2 8 2.5l5.5 4.7v5.3a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1zM6.25 13.5v-4h3.5v4" />,
);
export const EmailsIcon = icon(
  <>
    <rect x="1.75" y="3.25" width="12.5" height="9.5" rx="1.5" />
    <path d="m2.25 4.5 5.75 4.25 5.75-4.25" />
  </>,
);
export const TemplateIcon = icon(
  <>
    <rect x="2.25" y="2.25" width="11.5" height="11.5" rx="1.5" />
    <path d="M2.5 5.75h11M6 5.75v7.75" />
  </>,
);
export const MetricsIcon = icon(<path d="M2.5 2.5v11h11M5.5 10.5v-3M8.5 10.5v-6M11.5 10.5V9" />);
export const KeyIcon = icon(
  <>
    <circle cx="5" cy="11" r="2.75" />
    <path d="m7 9 6-6M11 5l2 2M9 7l1.5 1.5" />
  </>,
);
export const RequestIcon = icon(
  <>
    <rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.5" />
    <path d="m4.5 6 2 2-2 2M8.5 10h3" />
  </>,
);
export const GlobeIcon = icon(
  <>
    <circle cx="8" cy="8" r="6.25" />
    <path d="M1.75 8h12.5M8 1.75c4 4 4 8.5 0 12.5-4-4-4-8.5 0-12.5z" />
  </>,
);
export const WebhookIcon = icon(
  <>
    <circle cx="8" cy="4.25" r="2" />
    <circle cx="3.75" cy="11.75" r="2" />
    <circle cx="12.25" cy="11.75" r="2" />
    <path d="M7 6 4.75 10M9 6l2.25 4M5.75 11.75h4.5" />
  </>,
);
export const RouteIcon = icon(
  <>
    <circle cx="3.25" cy="8" r="1.75" />
    <path d="M5 8h2.5c2 0 1.5-4 4-4H14M7.5 8c2 0 1.5 4 4 4H14M12 2l2 2-2 2M12 10l2 2-2 2" />
  </>,
);
export const StopIcon = icon(
  <>
    <circle cx="8" cy="8" r="6.25" />
    <path d="m3.6 3.6 8.8 8.8" />
  </>,
);
export const MailboxIcon = icon(
  <>
    <path d="M1.75 12.25v-5a3 3 0 0 1 3-3h6.5a3 3 0 0 1 3 3v5zM7.75 12.25v-5a3 3 0 0 0-3-3M3.75 7.75h2" />
    <path d="M10.5 7.5v-5h2.25" />
  </>,
);
export const AliasIcon = icon(
  <>
    <circle cx="8" cy="8" r="2.75" />
    <path d="M10.75 5.5v3.25a1.75 1.75 0 0 0 3.5 0V8a6.25 6.25 0 1 0-2.5 5" />
  </>,
);
export const SystemIcon = icon(
  <>
    <rect x="2.25" y="2.25" width="11.5" height="4.75" rx="1.25" />
    <rect x="2.25" y="9" width="11.5" height="4.75" rx="1.25" />
    <path d="M4.75 4.6h.01M4.75 11.4h.01M7.5 4.6h3.75M7.5 11.4h3.75" />
  </>,
);
export const UserIcon = icon(
  <>
    <circle cx="8" cy="5.25" r="2.75" />
    <path d="M2.75 13.75c.6-2.7 2.6-4 5.25-4s4.65 1.3 5.25 4" />
  </>,
);
export const PeopleIcon = icon(
  <>
    <circle cx="6" cy="5.5" r="2.5" />
    <path d="M1.5 13.25c.5-2.5 2.2-3.75 4.5-3.75s4 1.25 4.5 3.75M10.75 3.25a2.4 2.4 0 0 1 0 4.5M12.25 9.9c1.3.5 2 1.6 2.25 3.35" />
  </>,
);
export const GaugeIcon = icon(<path d="M3.2 12.25a6 6 0 1 1 9.6 0M8 9.5l2.75-3.25M8 9.5h.01" />);
export const HistoryIcon = icon(<path d="M2.75 3v3h3M3.1 6A5.5 5.5 0 1 1 2.5 8.5M8 5.25v3l2 1.25" />);
export const SettingsIcon = icon(
  <>
    <path d="M2 4.75h6.5M12.5 4.75H14M2 11.25h1.5M7.5 11.25H14" />
    <circle cx="10.5" cy="4.75" r="1.9" />
    <circle cx="5.5" cy="11.25" r="1.9" />
  </>,
);
export const SearchIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.5" />
    <path d="m10.5 10.5 3.25 3.25" />
  </>,
);
export const MenuIcon = icon(<path d="M2 4h12M2 8h12M2 12h12" />);
export const CloseIcon = icon(<path d="m3.5 3.5 9 9M12.5 3.5l-9 9" />);
export const CheckIcon = icon(<path d="m3 8.5 3.25 3.25L13 4.75" />);
export const CopyIcon = icon(
  <>
    <rect x="5.25" y="5.25" width="8.5" height="8.5" rx="1.5" />
    <path d="M10.75 5.25v-1.5a1.5 1.5 0 0 0-1.5-1.5h-5.5a1.5 1.5 0 0 0-1.5 1.5v5.5a1.5 1.5 0 0 0 1.5 1.5h1.5" />
  </>,
);
export const ChevronDownIcon = icon(<path d="m4 6 4 4 4-4" />);
export const ChevronRightIcon = icon(<path d="m6 4 4 4-4 4" />);
export const ChevronLeftIcon = icon(<path d="m10 4-4 4 4 4" />);
export const ChevronsIcon = icon(<path d="m5 6 3-3 3 3M5 10l3 3 3-3" />);
export const PlusIcon = icon(<path d="M8 2.75v10.5M2.75 8h10.5" />);
export const MoreIcon = icon(<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.25" />);
export const ExternalIcon = icon(
  <path d="M9.5 2.5h4v4M13.25 2.75 7.5 8.5M6.5 3h-3a1 1 0 0 0-1 1v8.5a1 1 0 0 0 1 1H12a1 1 0 0 0 1-1v-3" />,
);
export const WarningIcon = icon(<path d="M8 2.25 14.5 13.5h-13zM8 6.5v3M8 11.5h.01" />);
export const InfoIcon = icon(
  <>
    <circle cx="8" cy="8" r="6.25" />
    <path d="M8 7.5v3.5M8 5h.01" />
  </>,
);
export const RefreshIcon = icon(<path d="M13.25 8a5.25 5.25 0 1 1-1.6-3.8M13.5 2v3h-3" />);
export const HelpIcon = icon(
  <>
    <circle cx="8" cy="8" r="6.25" />
    <path d="M6.1 6.2c.1-1.1.9-1.8 1.95-1.8 1.1 0 1.9.7 1.9 1.7 0 1.4-1.95 1.5-1.95 3M8 11.4h.01" />
  </>,
);
export const BookIcon = icon(
  <path d="M8 4c-1.4-1.1-3.3-1.5-5.75-1.25v9.5C4.7 12 6.6 12.4 8 13.5c1.4-1.1 3.3-1.5 5.75-1.25v-9.5C11.3 2.5 9.4 2.9 8 4zM8 4v9.5" />,
);
export const TrashIcon = icon(<path d="M2.5 4h11M6 4V2.5h4V4M4 4l.5 9.5h7L12 4M6.75 6.75v4M9.25 6.75v4" />);
export const SignOutIcon = icon(
  <path d="M6.5 13.5h-3a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1h3M10.5 11l3-3-3-3M13.25 8H6.5" />,
);
export const FolderIcon = icon(
  <path d="M1.75 4a1 1 0 0 1 1-1h3.5l1.5 1.75h5.5a1 1 0 0 1 1 1V12a1 1 0 0 1-1 1H2.75a1 1 0 0 1-1-1z" />,
);
export const DownloadIcon = icon(<path d="M8 2.5v7.75M4.75 7.25 8 10.5l3.25-3.25M2.5 13.5h11" />);
export const PauseIcon = icon(<path d="M5.5 3.25v9.5M10.5 3.25v9.5" />);
export const PenIcon = icon(<path d="m2.75 13.25.75-3.25 7-7 2.5 2.5-7 7zM9 4.5 11.5 7" />);
export const PlayIcon = icon(<path d="M4.5 2.75v10.5L13 8z" />);
export const GripIcon = icon(<path d="M6 3.5v.01M10 3.5v.01M6 8v.01M10 8v.01M6 12.5v.01M10 12.5v.01" />);
export const InboxIcon = icon(
  <path d="M2 9.25h3.4l1 1.75h3.2l1-1.75H14M2 9.25v3a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1v-3M2 9.25 4.1 3.4a1 1 0 0 1 .95-.65h5.9a1 1 0 0 1 .95.65L14 9.25" />,
);
export const ArchiveIcon = icon(
  <path d="M2 3.25h12v3H2zM3 6.25v6a1 1 0 0 0 1 1h8a1 1 0 0 0 1-1v-6M6.5 9h3" />,
);
export const JunkIcon = icon(<path d="M5.4 2h5.2L14 5.4v5.2L10.6 14H5.4L2 10.6V5.4zM8 5v3.5M8 10.75h.01" />);
export const SendIcon = icon(<path d="M14 2 7.25 8.75M14 2 9.75 14l-2.5-5.25L2 6.25z" />);
export const ClipIcon = icon(
  <path d="m13.25 7.5-5.4 5.4a3.3 3.3 0 0 1-4.7-4.7l5.7-5.65a2.2 2.2 0 0 1 3.1 3.1L6.4 11.2a1.1 1.1 0 0 1-1.55-1.55l5.1-5.1" />,
);
export const ReplyIcon = icon(<path d="M6.5 3.5 2.25 7.75 6.5 12M2.5 7.75h6.25a5 5 0 0 1 5 5" />);
export const ReplyAllIcon = icon(
  <path d="M9 3.5 4.75 7.75 9 12M5.5 3.5 1.25 7.75 5.5 12M5 7.75h5.25a4.5 4.5 0 0 1 4.5 4.5" />,
);
export const ForwardIcon = icon(<path d="m9.5 3.5 4.25 4.25L9.5 12M13.5 7.75H7.25a5 5 0 0 0-5 5" />);
export const ReadIcon = icon(
  <path d="M1.75 6.5 8 2.25l6.25 4.25v6a1.25 1.25 0 0 1-1.25 1.25H3a1.25 1.25 0 0 1-1.25-1.25zM2 6.75l6 4 6-4" />,
);
export const PrintIcon = icon(
  <path d="M4.5 6V2.5h7V6M4.5 11.5h-1a1.5 1.5 0 0 1-1.5-1.5V7.5A1.5 1.5 0 0 1 3.5 6h9A1.5 1.5 0 0 1 14 7.5V10a1.5 1.5 0 0 1-1.5 1.5h-1M4.5 9.75h7v3.75h-7z" />,
);
export const ShieldIcon = icon(
  <path d="M8 1.75 13.25 3.5v4.25c0 3-2 5.25-5.25 6.5-3.25-1.25-5.25-3.5-5.25-6.5V3.5z" />,
);
export const ImageIcon = icon(
  <>
    <rect x="2" y="2.75" width="12" height="10.5" rx="1.5" />
    <path d="m2.5 11.5 3.25-3.5 2.5 2.5 2-2 3.25 3.25M10.5 6h.01" />
  </>,
);
export const FileIcon = icon(
  <path d="M4 1.75h5l3.25 3.25v8.25a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V2.75a1 1 0 0 1 1-1zM9 1.75V5h3.25" />,
);
export const StarIcon = icon(
  <path d="m8 1.75 1.9 3.95 4.35.6-3.15 3.05.75 4.3L8 11.6l-3.85 2.05.75-4.3L1.75 6.3l4.35-.6z" />,
);
export const StarredIcon = icon(
  <path
    fill="currentColor"
    d="m8 1.75 1.9 3.95 4.35.6-3.15 3.05.75 4.3L8 11.6l-3.85 2.05.75-4.3L1.75 6.3l4.35-.6z"
  />,
);
