import { EmailDetail } from '../../../../contract/emails.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, cancelEmail. */
export const cancelEmail = operation({
  method: 'POST',
  path: '/emails/{id}/cancel',
  scope: 'emails:send',
  twin: 'cancelEmail',
  summary: 'Cancel an email that is not sent yet',
  description:
    'Addition to the contract. Takes back what waits: an email that is scheduled, queued or deferred. Each recipient that was not begun is failed with reason cancelled; who has it keeps it. 400 when it is being sent or is over: then nothing has changed. To cancel again changes nothing.',
  success: { status: 200, description: 'The email, cancelled.', body: EmailDetail },
  async run({ services, caller, id }) {
    if (!(await services.cancelEmail(caller.projectId, id))) return null;
    return services.getEmail(caller.projectId, id);
  },
});
