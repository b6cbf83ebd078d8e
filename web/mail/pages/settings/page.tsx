import { Outlet } from '@tanstack/react-router';
import { SettingsMenu } from './menu.tsx';

/** The settings of the mailbox, each on a page of its own. */
export default function SettingsPage() {
  return (
    <div className="mx-auto max-w-4xl gap-8 px-4 pt-6 pb-16 sm:px-6 md:grid md:grid-cols-[11rem_minmax(0,1fr)]">
      <SettingsMenu />
      <div className="min-w-0">
        <Outlet />
      </div>
    </div>
  );
}
