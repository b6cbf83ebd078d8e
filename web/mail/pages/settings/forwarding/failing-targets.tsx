import type { FailingTarget } from '../../../../../src/contract/mailbox-filing.ts';
import { Time } from '../../../../ui/time.tsx';

/** What became of mail that went on: those who refuse it. */
export function FailingTargets({ failing }: { failing: readonly FailingTarget[] }) {
  return failing.map(({ to, failures, since, off_since: offSince, reply }) => (
    <div key={to} className="mb-4 rounded-md bg-warn-soft px-3 py-2 text-warn">
      <p>
        <span className="font-medium wrap-anywhere">{to}</span>{' '}
        {offSince === null ? (
          <>
            refused {failures} {failures === 1 ? 'message' : 'messages in a row'}, the first{' '}
            <Time value={since} />.
          </>
        ) : (
          <>
            was switched off <Time value={offSince} />, after {failures} failures in a row. Save it again to
            try it anew.
          </>
        )}
      </p>
      <p className="mt-1 font-mono text-sm wrap-anywhere">{reply}</p>
    </div>
  ));
}
