/** The theme, light or dark: the system's setting, or the user's choice in this browser for all accounts. */
import { watched } from './watched.ts';

type Theme = 'system' | 'light' | 'dark';

const KEY = 'posthorn-theme';
const DARK = matchMedia('(prefers-color-scheme: dark)');
/** The elements that set the color of a mobile browser's bars, with the initial media query of each element. */
const BARS = [...document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')].map((bar) => ({
  bar,
  media: bar.media,
  isDark: bar.media.includes('dark'),
}));

export const theme = watched<Theme>(kept());
export const isDark = watched(false);

export function chooseTheme(chosen: Theme): void {
  if (chosen === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, chosen);
  theme.set(chosen);
}

function kept(): Theme {
  const chosen = localStorage.getItem(KEY);
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

function show(): void {
  const chosen = theme.get();
  isDark.set(chosen === 'system' ? DARK.matches : chosen === 'dark');
  document.documentElement.style.colorScheme = chosen === 'system' ? '' : chosen;
  for (const each of BARS)
    each.bar.media =
      chosen === 'system' ? each.media : each.isDark === (chosen === 'dark') ? 'all' : 'not all';
}

/** Applies the theme before anything is shown. */
export function beginTheme(): void {
  theme.subscribe(show);
  DARK.addEventListener('change', show);
  // The user may choose a theme in another tab.
  window.addEventListener('storage', ({ key }) => key === KEY && theme.set(kept()));
  show();
}
