/** Whether the user writes plain text. The choice is stored in this browser. */
const KEY = 'posthorn-mail-plain-text';

export const wantsPlainText = (): boolean => localStorage.getItem(KEY) === '1';

export function choosePlainText(isPlain: boolean): void {
  if (isPlain) localStorage.setItem(KEY, '1');
  else localStorage.removeItem(KEY);
}
