import { Button } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { useWatched } from '../../../../ui/watched.ts';
import { installOffer } from '../../../shell/install.ts';

/** Installs the web client as an app, if the browser offers it. */
export function InstallCard() {
  const offer = useWatched(installOffer);
  if (offer === null) return null;
  const install = async () => {
    const { outcome } = await offer.prompt();
    if (outcome === 'accepted') installOffer.set(null);
  };
  return (
    <Card title="Install">
      <p className="mb-3 max-w-2xl text-muted">
        The installed app has its own window and icon, which shows the number of unread messages. It can also
        open the links of email addresses.
      </p>
      <Button onClick={() => void install()}>Install Posthorn</Button>
    </Card>
  );
}
