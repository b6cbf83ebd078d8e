import { Link } from '@tanstack/react-router';
import type { Session } from '../../../src/contract/dashboard/session.ts';
import { WarningIcon } from '../../ui/icons.tsx';
import { lacksOf, nameOfLack } from './lacks.ts';

/** What is shut to the session while other projects are open to it, with the way to open it. */
export function LacksBanner({ session }: { session: Session }) {
  const lacks = lacksOf(session);
  if (lacks.length === 0) return null;
  return (
    <p className="flex items-center gap-2 bg-warn-soft px-3 py-2 text-warn sm:px-6">
      <WarningIcon />
      <span>
        {lacks.map(nameOfLack).join(', ')} requires a stronger sign-in.{' '}
        <Link to="/account" className="font-medium underline">
          Open your account
        </Link>
      </span>
    </p>
  );
}
