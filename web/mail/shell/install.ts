/** The browser's offer to install the web client as an app. Browsers make it soon after the page is loaded, and only once. */
import { watched } from '../../ui/watched.ts';

interface InstallOffer extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>;
}

/** Null while the browser does not offer it, or after the web client was installed. */
export const installOffer = watched<InstallOffer | null>(null);

export function listenForInstallOffer(): void {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    installOffer.set(event as InstallOffer);
  });
  window.addEventListener('appinstalled', () => installOffer.set(null));
}
