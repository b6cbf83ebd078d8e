import { useEffect } from 'react';

const MOST = 99;

/** The number of unread messages in the icon of the tab. The title has it too. */
export function useUnreadIcon(unread: number): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (link === null) return;
    link.dataset['plain'] ??= link.href;
    link.href =
      unread === 0 ? link.dataset['plain'] : `data:image/svg+xml,${encodeURIComponent(icon(unread))}`;
  }, [unread]);
}

function icon(unread: number): string {
  const text = unread > MOST ? `${MOST}+` : String(unread);
  const size = { 1: 12, 2: 10, 3: 8 }[text.length] ?? 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#1d5bd6"/><text x="8" y="${8 + size * 0.36}" font-family="sans-serif" font-size="${size}" font-weight="700" text-anchor="middle" fill="#fff">${text}</text></svg>`;
}
